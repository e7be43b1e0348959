// A grid and blocks of three dimensions: every element once, with its own coordinates.
#include "../check.h"

__global__ void number(int3* out, dim3 extent) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= extent.x || y >= extent.y || z >= extent.z) return;
  out[(z * extent.y + y) * extent.x + x] = make_int3(x, y, z);
}

int main() {
  const dim3 extent(9, 7, 10), block(4, 3, 5), grid(3, 3, 2);
  const int n = extent.x * extent.y * extent.z;
  std::vector<int3> out(n);
  int3* dout;
  CHECK(cudaMalloc(&dout, n * sizeof(int3)));
  number<<<grid, block>>>(dout, extent);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, n * sizeof(int3), cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; ++i) {
    const int3 at = out[i];
    right &= (at.z * 7 + at.y) * 9 + at.x == i && at.x < 9 && at.y < 7;
  }
  CHECK(cudaFree(dout));
  return verdict(right);
}
