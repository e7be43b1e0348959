// expect: race 17,13
// Softmax whose second reduction reuses the first one's scratch while some warp still reads it.
#include "../check.h"

__global__ void softmax(const float* in, float* out) {
  __shared__ float scratch[4];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float x = in[threadIdx.x];
  float largest = x;
  for (int o = 16; o > 0; o /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, o));
  if (lane == 0) scratch[warp] = largest;
  __syncthreads();
  largest = fmaxf(fmaxf(scratch[0], scratch[1]), fmaxf(scratch[2], scratch[3]));
  float sum = __expf(x - largest);
  const float mine = sum;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) scratch[warp] = sum;
  __syncthreads();
  out[threadIdx.x] = mine / (scratch[0] + scratch[1] + scratch[2] + scratch[3]);
}

int main() {
  std::vector<float> in(128, 1.5f);
  float *din, *dout;
  CHECK(cudaMalloc(&din, 128 * sizeof(float)));
  CHECK(cudaMalloc(&dout, 128 * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), 128 * sizeof(float), cudaMemcpyHostToDevice));
  softmax<<<1, 128>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return 0;
}
