// Inclusive prefix sums after Hillis and Steele: two buffers take turns.
#include "../check.h"

constexpr int kThreads = 128;

__global__ void scan(const int* in, int* out) {
  __shared__ int buffer[2][kThreads];
  const int t = threadIdx.x;
  int from = 0;
  buffer[from][t] = in[t];
  __syncthreads();
  for (int reach = 1; reach < kThreads; reach *= 2) {
    const int to = 1 - from;
    buffer[to][t] = buffer[from][t] + (t >= reach ? buffer[from][t - reach] : 0);
    from = to;
    __syncthreads();
  }
  out[t] = buffer[from][t];
}

int main() {
  std::vector<int> in(kThreads), out(kThreads);
  for (int i = 0; i < kThreads; ++i) in[i] = i * i % 11;
  int *din, *dout;
  CHECK(cudaMalloc(&din, sizeof(int) * kThreads));
  CHECK(cudaMalloc(&dout, sizeof(int) * kThreads));
  CHECK(cudaMemcpy(din, in.data(), sizeof(int) * kThreads, cudaMemcpyHostToDevice));
  scan<<<1, kThreads>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, sizeof(int) * kThreads, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0, sum = 0; i < kThreads; ++i) right &= out[i] == (sum += in[i]);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
