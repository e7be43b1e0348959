// Three faults of order, and what a checker that watches one run can say about each.
//
//     hotloop cuda run --check curriculum/fused_softmax/proofs/what_checkers_miss.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kThreads = 64;

// Long rows pass through `carry` from tile to tile, and that path has a barrier too few.
__global__ void by_shape(const float* x, float* out, int columns) {
  __shared__ float part[kThreads];
  __shared__ float carry;
  if (threadIdx.x == 0) carry = 0.0f;
  for (int first = 0; first < columns; first += kThreads) {
    const int c = first + threadIdx.x;
    part[threadIdx.x] = c < columns ? x[c] : 0.0f;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (const float value : part) carry += value;
    }
    // The next tile overwrites `part` while thread 0 may still be reading.
  }
  __syncthreads();
  if (threadIdx.x == 0) *out = carry;
}

// Every block adds to one number in global memory without an atomic.
__global__ void across_blocks(const float* x, float* out) {
  if (threadIdx.x == 0) *out += x[blockIdx.x];
}

// Only atomics, so that no two accesses race; but between looking and acting there is a gap.
__global__ void check_then_act(const float* x, unsigned* largest, bool rest) {
  const unsigned mine = static_cast<unsigned>(x[threadIdx.x]);
  if (mine > atomicAdd(largest, 0u)) {
    if (rest) __nanosleep(threadIdx.x);  // as if another thread were quicker here
    atomicExch(largest, mine);
  }
}

int main(int count, char** arguments) {
  const char* kernel = count > 1 ? arguments[1] : "by_shape";
  const int columns = count > 2 ? std::atoi(arguments[2]) : 256;
  float host[1024];
  for (int i = 0; i < 1024; ++i) host[i] = static_cast<float>(i % 64);
  float *x, *out;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&out, sizeof(float));
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, sizeof(float));
  float result = 0.0f;
  if (!std::strcmp(kernel, "by_shape")) by_shape<<<1, kThreads>>>(x, out, columns);
  if (!std::strcmp(kernel, "across_blocks")) across_blocks<<<8, kThreads>>>(x, out);
  const bool rest = !std::strcmp(kernel, "check_then_rest_then_act");
  if (rest || !std::strcmp(kernel, "check_then_act")) {
    check_then_act<<<1, kThreads>>>(x, reinterpret_cast<unsigned*>(out), rest);
    unsigned largest = 0;
    cudaMemcpy(&largest, out, sizeof largest, cudaMemcpyDeviceToHost);
    result = static_cast<float>(largest);
  } else {
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
  }
  std::printf("%g\n", result);
  cudaFree(x);
  cudaFree(out);
  return 0;
}
