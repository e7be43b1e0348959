// A sum per block by shuffles: within each warp, then over the warps' sums in one warp.
#include "../check.h"

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}

__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float parts[32];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    v += in[i];
  }
  v = warp_sum(v);
  if (lane == 0) parts[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x + warpSize - 1) / warpSize ? parts[lane] : 0.0f;
    v = warp_sum(v);
    if (lane == 0) out[blockIdx.x] = v;
  }
}

int main() {
  const int n = 5000, blocks = 3;
  std::vector<float> in(n), out(blocks);
  double expected = 0, total = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = 0.25f * (i % 9);
  float *din, *dout;
  CHECK(cudaMalloc(&din, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, blocks * sizeof(float)));
  CHECK(cudaMemcpy(din, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  for (const int threads : {32, 256, 1024}) {
    block_sum<<<blocks, threads>>>(din, dout, n);
    CHECK_LAUNCH();
    CHECK(cudaMemcpy(out.data(), dout, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    total = 0;
    for (const float part : out) total += part;
    if (total != expected) return verdict(false);
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(true);
}
