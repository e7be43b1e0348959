// The same work in shared memory with and without bank conflicts.
//
//     hotloop cuda run --check curriculum/fused_softmax/proofs/bank_conflicts.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kSide = 32;
constexpr int kThreads = 256;

// Lane i of a warp reads word i * pitch: with a pitch of 32 words all lanes meet in one bank.
template <int kPitch>
__device__ void transpose(const float* x, float* out) {
  __shared__ float tile[kSide][kPitch];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * kSide + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * kSide + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void tile_32(const float* x, float* out) { transpose<32>(x, out); }
__global__ void tile_33(const float* x, float* out) { transpose<33>(x, out); }

// Active threads are 2, 4, 8, … apart, and so are the words that they touch.
__global__ void tree_growing_stride(const float* x, float* out) {
  __shared__ float part[kThreads];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    const int at = 2 * stride * threadIdx.x;
    if (at < kThreads) part[at] += part[at + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

// Active threads are the first ones, and they touch neighboring words.
__global__ void tree_shrinking_stride(const float* x, float* out) {
  __shared__ float part[kThreads];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) part[threadIdx.x] += part[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = part[0];
}

int main() {
  std::vector<float> host(kSide * kSide, 1.0f);
  float *x, *out;
  cudaMalloc(&x, host.size() * sizeof(float));
  cudaMalloc(&out, host.size() * sizeof(float));
  cudaMemcpy(x, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  const dim3 square(kSide, kSide);
  tile_32<<<1, square>>>(x, out);
  tile_33<<<1, square>>>(x, out);
  float sums[2];
  tree_growing_stride<<<1, kThreads>>>(x, out);
  cudaMemcpy(&sums[0], out, sizeof(float), cudaMemcpyDeviceToHost);
  tree_shrinking_stride<<<1, kThreads>>>(x, out);
  cudaMemcpy(&sums[1], out, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", sums[0], sums[1]);
  cudaFree(x);
  cudaFree(out);
  return sums[0] == kThreads && sums[1] == kThreads ? 0 : 1;
}
