// Asynchronous copies of page-locked memory that the host waits for, in each way there is.
#include <cstring>

#include "../check.h"

__global__ void add_one(int* x) { x[threadIdx.x] += 1; }

int main() {
  int *x, *host, *other;
  cudaStream_t stream;
  cudaEvent_t done;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&done));
  CHECK(cudaMalloc(&x, 128));
  CHECK(cudaMallocHost(&host, 128));
  CHECK(cudaMallocHost(&other, 128));
  std::memset(host, 0, 128);
  for (int round = 0; round < 5; ++round) {
    CHECK(cudaMemcpyAsync(x, host, 128, cudaMemcpyHostToDevice, stream));
    other[round] = host[round];  // no copy uses the one, and a copy only reads the other
    add_one<<<1, 32, 0, stream>>>(x);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(host, x, 128, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(done, stream));
    if (round == 0) CHECK(cudaStreamSynchronize(stream));
    if (round == 1) CHECK(cudaDeviceSynchronize());
    if (round == 2) CHECK(cudaEventSynchronize(done));
    if (round == 3) while (cudaEventQuery(done) == cudaErrorNotReady) {}
    if (round == 4) CHECK(cudaMemcpy(other, x, 128, cudaMemcpyDeviceToHost));
    if (host[31] != round + 1) return verdict(false);
    host[0] = round + 1;
  }
  int pageable[32];
  CHECK(cudaMemcpyAsync(pageable, x, 128, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  return verdict(pageable[3] == 5);
}
