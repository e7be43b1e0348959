// Three transposes of one matrix: direct, with a tile, and with a padded tile.
//
//     hotloop cuda run --check curriculum/first_kernels/proofs/transposes.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kSide = 128, kTile = 32;

__global__ void direct(const float* x, float* y) {
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  y[column * kSide + row] = x[row * kSide + column];
}

template <int kPitch>
__device__ void by_tiles(const float* x, float* y) {
  __shared__ float tile[kTile][kPitch];
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  tile[threadIdx.y][threadIdx.x] = x[(row + threadIdx.y) * kSide + column + threadIdx.x];
  __syncthreads();
  y[(column + threadIdx.y) * kSide + row + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void tile_32(const float* x, float* y) { by_tiles<32>(x, y); }
__global__ void tile_33(const float* x, float* y) { by_tiles<33>(x, y); }

int main() {
  std::vector<float> host(kSide * kSide), back(host.size());
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i);
  const size_t bytes = host.size() * sizeof(float);
  float *x, *y;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, kTile);
  bool right = true;
  for (int version = 0; version < 3; ++version) {
    if (version == 0) direct<<<grid, block>>>(x, y);
    if (version == 1) tile_32<<<grid, block>>>(x, y);
    if (version == 2) tile_33<<<grid, block>>>(x, y);
    cudaMemcpy(back.data(), y, bytes, cudaMemcpyDeviceToHost);
    for (int r = 0; r < kSide; ++r) {
      for (int c = 0; c < kSide; ++c) right &= back[c * kSide + r] == host[r * kSide + c];
    }
  }
  std::printf("%s\n", right ? "right" : "wrong");
  return !right;
}
