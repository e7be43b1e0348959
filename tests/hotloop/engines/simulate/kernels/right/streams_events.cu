// Streams, events and asynchronous copies from page-locked memory. A time differs from run to run,
// and is no result.
#include "../check.h"

__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}

int main() {
  const int n = 1000, parts = 4, each = n / parts;
  float *host, *device;
  CHECK(cudaMallocHost(&host, n * sizeof(float)));
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaStream_t streams[parts];
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int part = 0; part < parts; ++part) {
    CHECK(cudaStreamCreate(&streams[part]));
    float *from = host + part * each, *to = device + part * each;
    const size_t bytes = each * sizeof(float);
    CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, streams[part]));
    twice<<<(each + 127) / 128, 128, 0, streams[part]>>>(to, each);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(from, to, bytes, cudaMemcpyDeviceToHost, streams[part]));
  }
  for (cudaStream_t stream : streams) {
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
  }
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::printf("took %.6f ms\n", milliseconds);
  bool right = milliseconds >= 0;
  for (int i = 0; i < n; ++i) right &= host[i] == 2.0f * i;
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  return verdict(right);
}
