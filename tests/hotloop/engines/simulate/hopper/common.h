// What the programs here share: CUDA's errors, arrays on the device, tensor maps, PASS.
//
// Each program is right without FAULT. A line that ends with `// 3: race` is the one, or one of those, that must be
// named when it is compiled with FAULT=3, with a finding of that kind.
#pragma once

#include <vector>

#include "../kernels/check.h"
#include "hotloop/hopper.cuh"

#ifndef FAULT
#define FAULT 0
#endif
// x, and y in place of it with fault n.
#define OR(n, x, y) (FAULT == (n) ? (y) : (x))

using bf16 = __nv_bfloat16;

template <class T>
T* on_device(const std::vector<T>& values) {
  T* at;
  CHECK(cudaMalloc(&at, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(at, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return at;
}

template <class T>
std::vector<T> on_host(const T* at, size_t count) {
  std::vector<T> values(count);
  CHECK(cudaMemcpy(values.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

template <class T>
constexpr CUtensorMapDataType type_of() {
  return sizeof(T) == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

// A tensor of `rank` dimensions without gaps; size and box begin with the dimension whose elements are neighbors.
template <class T, unsigned rank>
CUtensorMap map_of(T* base, const unsigned (&size)[rank], const unsigned (&box)[rank], CUtensorMapSwizzle swizzle) {
  cuuint64_t sizes[rank], strides[rank];
  cuuint32_t steps[rank];
  cuuint64_t stride = sizeof(T);
  for (unsigned d = 0; d < rank; ++d) sizes[d] = size[d], steps[d] = 1, strides[d] = stride *= size[d];
  CUtensorMap map;
  const CUresult result = cuTensorMapEncodeTiled(&map, type_of<T>(), rank, base, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                 swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) std::puts("no tensor map");
  return map;
}

// Small integers, so that sums are exact.
template <class T>
std::vector<T> numbers(size_t count, int step) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = T(static_cast<float>(static_cast<int>(i * step % 13) - 6));
  return values;
}

// Whether c is a · bᵀ; all three are row-major.
template <class T>
bool is_product(const std::vector<T>& a, const std::vector<T>& b, const std::vector<float>& c, unsigned m, unsigned n, unsigned k) {
  for (unsigned i = 0; i < m * n; ++i) {
    float sum = 0;
    for (unsigned l = 0; l < k; ++l) sum += static_cast<float>(a[i / n * k + l]) * static_cast<float>(b[i % n * k + l]);
    if (c[i] != sum) return false;
  }
  return true;
}
