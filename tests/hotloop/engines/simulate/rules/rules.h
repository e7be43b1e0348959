// Kernels that are launched by their names. n is 0, and T and I are numbers of a thread in its block and in the grid.
#pragma once

#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

__device__ int message, flag, parts[4096];
__device__ unsigned counters[1024];
__device__ double real;

#define T static_cast<int>(threadIdx.x)
#define I (blockIdx.x * blockDim.x + threadIdx.x)

struct Named {
  const char* name;
  void (*kernel)(int*, int);
  int blocks, threads;
  Named* next;
  static Named*& first() { static Named* it = nullptr; return it; }
  Named(const char* n, void (*k)(int*, int), int b, int t) : name(n), kernel(k), blocks(b), threads(t), next(first()) { first() = this; }
};

#define KERNEL(name, blocks, threads)                           \
  __global__ void name(int* out, int n);                        \
  static Named named_##name(#name, name, blocks, threads);      \
  __global__ void name(int* out, int n)

#define MAIN(before, after)                                                                              \
  int main(int, char** arguments) {                                                                      \
    const char* name = arguments[1];                                                                     \
    before;                                                                                              \
    for (const Named* it = Named::first(); it; it = it->next) {                                          \
      if (std::strcmp(it->name, name)) continue;                                                         \
      const int count = it->blocks * it->threads;                                                        \
      int *out, host[4096];                                                                              \
      cudaMalloc(&out, count * sizeof(int));                                                             \
      it->kernel<<<it->blocks, it->threads>>>(out, 0);                                                   \
      if (cudaMemcpy(host, out, count * sizeof(int), cudaMemcpyDeviceToHost)) return 2;                  \
      after;                                                                                             \
      for (int i = 0; i < count; ++i) {                                                                  \
        if (host[i] != 1) { std::printf("thread %d has %d\n", i, host[i]); return 1; }                   \
      }                                                                                                  \
      return 0;                                                                                          \
    }                                                                                                    \
    return 3;                                                                                            \
  }
