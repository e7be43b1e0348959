// found: bad_argument
#include "hotloop/hopper.cuh"
__global__ void k(float* x) { hotloop_mbarrier(0, x, 1); }
