// What a kernel of GPUVerify's test suite needs to run: its annotations, and a host program.
//
// An annotation that states an assumption of a kernel ends the thread where it does not hold. Contracts of functions and invariants
// of loops are for the prover, and are left out.
#pragma once

#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <tuple>
#include <type_traits>

typedef unsigned int uint;

namespace cooperative_groups {
template <class Group>
inline __device__ void synchronize(Group& group) { group.sync(); }
}  // namespace cooperative_groups

namespace driver {

constexpr unsigned ARRAY = 1u << 20;
__device__ int is_void;       // 1 if an assumption did not hold
__device__ char fresh[ARRAY]; // the array of __requires_fresh_array

}  // namespace driver

#define __assuming(e) if (!(e)) { driver::is_void = 1; return; }
#define __assume(e) __assuming(e)
#define __requires(...)
#define __ensures(...)
#define __invariant(...) 0
#define __global_invariant(...) 0
#define __function_wide_invariant(...)
#define __assert(e) assert(e)
#define __all(e) (e)
#define __implies(a, b) (!(a) || (b))
#define __requires_fresh_array(p) p = reinterpret_cast<decltype(p + 0)>(driver::fresh)

namespace driver {

// Takes the function that the kernel requires a pointer to, if there is one.
inline void (*take_function)(void*);

inline int values_in(const char* text) {
  int count = 1;
  while ((text = std::strchr(text, ','))) ++count, ++text;
  return count;
}

struct Values {
  char** text;   // by parameter: numbers with commas between
  long long choice;
  int array;
  void* arrays[64];

  // An argument: pointers get an array of zeros each, numbers one of the parameter's values, structs are made of pointers.
  template <class T>
  T next() {
    const char* mine = *text++;
    if constexpr (std::is_arithmetic_v<T>) {
      const int count = values_in(mine);
      for (int skip = static_cast<int>(choice % count); skip; --skip) mine = std::strchr(mine, ',') + 1;
      choice /= count;
      return static_cast<T>(atof(mine));
    } else if constexpr (std::is_pointer_v<T>) {
      if constexpr (std::is_function_v<std::remove_pointer_t<T>>) {
        T function = nullptr;
        take_function(&function);
        return function;
      } else {
        return static_cast<T>(zeros());
      }
    } else {
      T made;
      void* words[(sizeof(T) + sizeof(void*) - 1) / sizeof(void*)];
      for (void*& word : words) word = zeros();
      __builtin_memcpy(static_cast<void*>(&made), words, sizeof made);
      return made;
    }
  }

  void* zeros() {
    void*& one = arrays[array++];
    if (!one) cudaMalloc(&one, ARRAY);
    cudaMemset(one, 0, ARRAY);
    return one;
  }
};

// Launches the kernel with every choice of values, at most `most`; prints how many its assumptions allow.
template <class... T>
int launch(void (*kernel)(T...), dim3 grid, dim3 block, bool cooperative, char** text, int most) {
  const bool is_number[] = {std::is_arithmetic_v<T>..., false};
  double choices = 1;
  for (unsigned i = 0; i < sizeof...(T); ++i) choices *= is_number[i] ? values_in(text[i]) : 1;
  Values values{text, 0, 0, {}};
  int held = 0;
  for (int n = 0; n < choices && n < most; ++n) {
    values.text = text;
    values.choice = choices <= most ? n : static_cast<long long>(n * 2654435761.0) % static_cast<long long>(choices < 1e15 ? choices : 1e15);
    values.array = 0;
    int none = 0;
    cudaMemcpyToSymbol(is_void, &none, sizeof none);
    std::tuple<T...> arguments{values.next<T>()...};
    std::apply([&](auto&... each) {
      void* pointers[] = {&each..., nullptr};
      const void* function = reinterpret_cast<const void*>(kernel);
      if (cooperative) cudaLaunchCooperativeKernel(function, grid, block, pointers, 0, nullptr);
      else cudaLaunchKernel(function, grid, block, pointers, 0, nullptr);
    }, arguments);
    if (cudaDeviceSynchronize() != cudaSuccess) return 0;
    cudaMemcpyFromSymbol(&none, is_void, sizeof none);
    held += !none;
  }
  printf("%d\n", held);
  return 0;
}

}  // namespace driver
