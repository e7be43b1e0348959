// What the programs here share: numbers on the device, and FAULT, which puts one fault into a kernel.
#pragma once

#include <cstdio>
#include <vector>

#include "hotloop/hopper.cuh"

#ifndef FAULT
#define FAULT 0
#endif
// x, and y in place of it with fault n.
#define OR(n, x, y) (FAULT == (n) ? (y) : (x))

using bf16 = __nv_bfloat16;

// Small integers, so that sums in float32 are exact.
template <class T>
std::vector<T> numbers(size_t count, int step) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = T(static_cast<float>(static_cast<int>(i * step % 13) - 6));
  return values;
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* at;
  cudaMallocManaged(&at, values.size() * sizeof(T));
  for (size_t i = 0; i < values.size(); ++i) at[i] = values[i];
  return at;
}


inline int verdict(bool is_right) {
  std::puts(is_right ? "right" : "wrong");
  return is_right ? 0 : 1;
}
