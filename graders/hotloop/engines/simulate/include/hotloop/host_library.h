// What programs call and the C library for WebAssembly lacks: anonymous memory maps, a shell; exceptions and
// threads, which end the program. The allocators are wrapped (--wrap in build.py) to report a failure.
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOCK_THREAD_CPUTIME_ID CLOCK_MONOTONIC

extern "C" {
// Anonymous maps only. Mapping a file fails as in mmap: returns (void*)-1.
inline void* mmap(void*, size_t size, int, int, int file, long long) {
  void* memory = file < 0 ? aligned_alloc(4096, (size + 4095) / 4096 * 4096) : nullptr;
  return memory ? memset(memory, 0, size) : reinterpret_cast<void*>(-1);
}
inline int munmap(void* memory, size_t) { free(memory); return 0; }
inline void* hotloop_room(const char* name, void* memory, size_t size) {
  if (!memory && size) hotloop_ask(HOTLOOP_NO_ROOM, name, nullptr, size, 0, hotloop_here(nullptr, 0));
  return memory;
}
void* __real_malloc(size_t);
void* __real_calloc(size_t, size_t);
void* __real_realloc(void*, size_t);
void* __real_aligned_alloc(size_t, size_t);
__attribute__((weak)) void* __wrap_malloc(size_t size) { return hotloop_room("malloc", __real_malloc(size), size); }
__attribute__((weak)) void* __wrap_calloc(size_t count, size_t size) {
  return hotloop_room("calloc", __real_calloc(count, size), count * size);
}
__attribute__((weak)) void* __wrap_realloc(void* memory, size_t size) {
  return hotloop_room("realloc", __real_realloc(memory, size), size);
}
__attribute__((weak)) void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return hotloop_room("aligned_alloc", __real_aligned_alloc(alignment, size), size);
}
// There is no shell.
inline __host__ __device__ int system(const char*) { return -1; }

[[noreturn]] inline void hotloop_ends(const char* does) {
  hotloop_ask(HOTLOOP_UNSUPPORTED, does, nullptr, 0, 0, hotloop_here(nullptr, 0));
  abort();
}
__attribute__((weak)) void* __cxa_allocate_exception(size_t size) noexcept { return malloc(size); }
__attribute__((weak, noreturn)) void __cxa_throw(void*, void*, void* (*)(void*)) { hotloop_ends("throws an exception"); }
__attribute__((weak)) int pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) {
  hotloop_ends("starts a thread");
}
}
