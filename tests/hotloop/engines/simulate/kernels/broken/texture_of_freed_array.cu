// expect: out_of_bounds 6,15,26
// An array is freed while a texture object still names it.
#include "../check.h"

__global__ void copy(cudaTextureObject_t object, float* out) {
  out[threadIdx.x] = tex1D<float>(object, threadIdx.x + 0.5f);
}

int main() {
  const std::vector<float> values(32);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  float* dout;
  cudaArray_t array;
  CHECK(cudaMalloc(&dout, 32 * sizeof(float)));
  CHECK(cudaMallocArray(&array, &format, 32));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), 128, 128, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture = {};
  texture.addressMode[0] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));

  CHECK(cudaFreeArray(array));
  copy<<<1, 32>>>(object, dout);
  cudaDeviceSynchronize();
  return 0;
}
