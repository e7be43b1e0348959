// expect: failed_call 19
// Linear filtering needs floats, or integers that are read as fractions.
#include "../check.h"

int main() {
  int* memory;
  CHECK(cudaMalloc(&memory, 64));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<int>();
  resource.res.pitch2D.width = 4;
  resource.res.pitch2D.height = 4;
  resource.res.pitch2D.pitchInBytes = 16;
  cudaTextureDesc texture = {};
  texture.filterMode = cudaFilterModeLinear;
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  const bool refused = cudaCreateTextureObject(&object, &resource, &texture, nullptr) == cudaErrorInvalidValue;
  CHECK(cudaFree(memory));
  return refused ? 0 : 1;
}
