// counted: 2048
// A copy of the compiler's.
__global__ void k(float* x) { __builtin_memcpy(x + 16 * threadIdx.x, x + 8192, 64); }
