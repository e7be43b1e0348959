// counted: 128
// An object passed by value.
struct S { float of[16]; };
__attribute__((noinline)) __device__ float sum(S s) { float t = 0; for (float v : s.of) t += v; return t; }
__global__ void k(float* x) { x[8192 + threadIdx.x] = sum(((S*)x)[threadIdx.x]); }
