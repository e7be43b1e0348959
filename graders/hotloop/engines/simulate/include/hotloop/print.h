// printf in a kernel, whose text the simulator formats; and the functions that are called for an index outside
// an array and before a volatile read.
#pragma once

#include "hotloop/device.h"

extern "C" {
inline __device__ __attribute__((used)) int printf(const char* format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int count = hotloop_print(format, *reinterpret_cast<void**>(&arguments));
  __builtin_va_end(arguments);
  return count;
}
inline __device__ __attribute__((always_inline, nodebug, noreturn)) void __assert_fail(const char* expression, const char*, int, const char* function) {
  hotloop_failed(expression, function);
}
inline __device__ __attribute__((used, always_inline, nodebug)) void hotloop_before_volatile(const volatile void* address) {
  if (hotloop_spins()) hotloop_wait(HOTLOOP_YIELD, 0, 0, 0);
  hotloop_volatile(address);
}
inline __device__ __attribute__((used, always_inline, nodebug)) void __ubsan_handle_out_of_bounds(void*, size_t index) {
  hotloop_outside(index);
}
}
