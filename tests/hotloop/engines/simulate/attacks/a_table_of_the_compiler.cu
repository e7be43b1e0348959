// found: out_of_bounds
// A table of the compiler's.
__constant__ float table[4] = {1, 2, 3, 4};
__global__ void k(float* x) { float* volatile t = (float*)table; t[threadIdx.x & 3] = x[0]; }
