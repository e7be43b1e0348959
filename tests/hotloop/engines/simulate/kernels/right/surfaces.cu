// A kernel writes a surface, the next one reads it as a surface and as a texture.
#include "../check.h"

constexpr int kWidth = 16, kHeight = 8;

__global__ void draw(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x, y = blockIdx.x;
  surf2Dwrite(make_float2(x, y), surface, x * static_cast<int>(sizeof(float2)), y);
  // Beyond the surface a write does nothing, or goes to its nearest element.
  surf2Dwrite(make_float2(99, 99), surface, (kWidth + x) * static_cast<int>(sizeof(float2)), y, cudaBoundaryModeZero);
}

__global__ void look(cudaSurfaceObject_t surface, cudaTextureObject_t texture, float* out) {
  const int x = threadIdx.x, y = blockIdx.x, bytes = x * static_cast<int>(sizeof(float2));
  const float2 here = surf2Dread<float2>(surface, bytes, y);
  float2 above;
  surf2Dread(&above, surface, bytes, y - 1, cudaBoundaryModeClamp);
  const float2 below = surf2Dread<float2>(surface, bytes, y + 1, cudaBoundaryModeZero);
  const float2 same = tex2D<float2>(texture, x + 0.5f, y + 0.5f);
  out[y * kWidth + x] = here.x + 100 * here.y + 10000 * above.y + 1000000 * (below.y + same.x);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureDesc description = {};
  cudaSurfaceObject_t surface;
  cudaTextureObject_t texture;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  float* dout;
  CHECK(cudaMalloc(&dout, kWidth * kHeight * sizeof(float)));
  draw<<<kHeight, kWidth>>>(surface);
  CHECK_LAUNCH();
  look<<<kHeight, kWidth>>>(surface, texture, dout);
  CHECK_LAUNCH();
  std::vector<float> out(kWidth * kHeight);
  std::vector<float2> whole(kWidth * kHeight);
  CHECK(cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy2DFromArray(whole.data(), kWidth * sizeof(float2), array, 0, 0, kWidth * sizeof(float2), kHeight, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const float above = y > 0 ? y - 1 : 0, below = y + 1 < kHeight ? y + 1 : 0;
      right &= out[y * kWidth + x] == x + 100.0f * y + 10000.0f * above + 1000000.0f * (below + x);
      right &= whole[y * kWidth + x].x == x && whole[y * kWidth + x].y == y;
    }
  }
  CHECK(cudaDestroySurfaceObject(surface));
  CHECK(cudaDestroyTextureObject(texture));
  CHECK(cudaFreeArray(array));
  CHECK(cudaFree(dout));
  return verdict(right);
}
