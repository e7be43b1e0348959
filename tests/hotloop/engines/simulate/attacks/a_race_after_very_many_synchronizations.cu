// found: race
// More synchronizations of a warp than 16 bits count.
__global__ void k(float* x) {
  __shared__ float s[32];
  s[threadIdx.x] = 0;
  for (int i = 0; i < 66000; ++i) __syncwarp();
  s[threadIdx.x] = threadIdx.x;
  x[threadIdx.x] = s[31 - threadIdx.x];
}
