// found: out_of_bounds
// An address that wraps.
__global__ void k(float* x) { ((volatile float*)0xfffffff0u)[(size_t)x & 1] = 1; }
