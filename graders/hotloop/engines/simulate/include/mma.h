#pragma once
#error "nvcuda::wmma is not simulated: use mma_m16n8k16 and ldmatrix of hotloop/tensor_cores.cuh"
