// What the C library for WebAssembly lacks and programs call: anonymous memory maps, a shell; exceptions and
// threads, which end the program.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_THREAD_CPUTIME_ID CLOCK_MONOTONIC

extern "C" {
// Maps of no file. The pages of others fail as mmap does: with (void*)-1.
inline void* mmap(void*, size_t size, int, int, int file, long long) {
  void* memory = file < 0 ? aligned_alloc(4096, (size + 4095) / 4096 * 4096) : nullptr;
  return memory ? memset(memory, 0, size) : reinterpret_cast<void*>(-1);
}
inline int munmap(void* memory, size_t) { free(memory); return 0; }
// There is no shell.
inline __host__ __device__ int system(const char*) { return -1; }

[[noreturn]] inline void hotloop_ends(const char* does) {
  fprintf(stderr, "The program %s, which the simulator does not support: it ends here.\n", does);
  abort();
}
__attribute__((weak)) void* __cxa_allocate_exception(size_t size) noexcept { return malloc(size); }
__attribute__((weak, noreturn)) void __cxa_throw(void*, void*, void* (*)(void*)) { hotloop_ends("throws an exception"); }
__attribute__((weak)) int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) {
  hotloop_ends("starts a thread");
}
}
