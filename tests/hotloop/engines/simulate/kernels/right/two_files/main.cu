// Two sources and a header in a folder of its own: the kernel is declared here, defined there.
#include "shared_with_host.h"

#include "../../check.h"

int main() {
  Settings settings = {3, 4};
  int *device, host[kCount];
  CHECK(cudaMalloc(&device, sizeof host));
  run_scale(device, settings);
  scale<<<1, kCount>>>(device, settings);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  bool right = true;
  for (int i = 0; i < kCount; ++i) right &= host[i] == (i * 3 + 4) * 3 + 4;
  return verdict(right);
}
