// counted: 128
// An attribute that asks for no checks.
__attribute__((no_sanitize("thread"))) __device__ void put(float* x) { *x = 1; }
__global__ void k(float* x) { put(x + threadIdx.x); }
