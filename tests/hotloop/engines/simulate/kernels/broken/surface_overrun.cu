// expect: trap 6
// A surface's columns are counted in bytes and its width in elements: the last threads leave the surface.
#include "../check.h"

__global__ void draw(cudaSurfaceObject_t surface) {
  surf1Dwrite(1.0f, surface, static_cast<int>(threadIdx.x * sizeof(float)));
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 30, 0, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  draw<<<1, 32>>>(surface);
  const bool stopped = cudaDeviceSynchronize() == cudaErrorLaunchFailure;
  return stopped ? 0 : 1;
}
