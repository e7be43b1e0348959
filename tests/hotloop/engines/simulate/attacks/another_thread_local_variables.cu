// found: out_of_bounds
// Another thread's local variables.
__global__ void k(float* x) {
  __shared__ float* of[32];
  volatile float mine[8];
  mine[0] = threadIdx.x;
  of[threadIdx.x] = (float*)mine;
  __syncwarp();
  x[threadIdx.x] = *of[(threadIdx.x + 1) % 32];
}
