// A stand-in for CUDA's header: a plugin needs a stream's type only.
#pragma once

struct CUstream_st;
using cudaStream_t = CUstream_st*;
