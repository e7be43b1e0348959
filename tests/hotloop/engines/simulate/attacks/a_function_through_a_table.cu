// counted: 128
// A function through a table.
__device__ void put(float* x) { *x = 1; }
__device__ void two(float* x) { *x = 2; }
__global__ void k(float* x) {
  void (*volatile f[2])(float*) = {put, two};
  f[threadIdx.x & 1](x + threadIdx.x);
}
