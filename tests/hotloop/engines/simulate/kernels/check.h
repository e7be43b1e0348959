// What the programs here share: a look at what every CUDA call returns, and how they say PASS.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const cudaError_t error = (call);                                                  \
    if (error != cudaSuccess) {                                                        \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(2);                                                                    \
    }                                                                                  \
  } while (0)

// A launch has no result of its own: its errors come from these two.
#define CHECK_LAUNCH()              \
  do {                              \
    CHECK(cudaGetLastError());      \
    CHECK(cudaDeviceSynchronize()); \
  } while (0)

inline bool is_close(double got, double expected, double tolerance = 1e-5) {
  return std::fabs(got - expected) <= tolerance * (1 + std::fabs(expected));
}

inline int verdict(bool is_right) {
  std::puts(is_right ? "PASS" : "FAIL");
  return is_right ? 0 : 1;
}
