// expect: race 7; order -
// A picture is blurred in place: a thread reads what its neighbor may have written.
#include "../check.h"

__global__ void blur(cudaSurfaceObject_t surface) {
  const int x = threadIdx.x * 4;
  surf2Dwrite(surf2Dread<float>(surface, x, 0) + surf2Dread<float>(surface, x + 4, 0, cudaBoundaryModeZero), surface, x, 0);
}

int main() {
  std::vector<float> values(64, 1.0f);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 64, 1, cudaArraySurfaceLoadStore));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), 256, 256, 1, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface;
  CHECK(cudaCreateSurfaceObject(&surface, &resource));
  blur<<<1, 64>>>(surface);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy2DFromArray(values.data(), 256, array, 0, 0, 256, 1, cudaMemcpyDeviceToHost));
  std::printf("%g %g\n", values[0], values[62]);
  return 0;
}
