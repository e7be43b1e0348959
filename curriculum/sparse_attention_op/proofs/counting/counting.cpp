// Counts what a compiled program loads from watched memory, and stores there.
//
// g++ -fsanitize=thread puts a call before each access to memory. The functions that it calls stand
// here instead of the sanitizer's own, and add up bytes by the tensor that they fall into.

#include <atomic>
#include <cstdint>
#include <cstring>

namespace {

struct Watched {
  const char* begin;
  const char* end;
  std::atomic<int64_t> loaded{0};
  std::atomic<int64_t> stored{0};
};

constexpr int kMost = 16;
Watched watched[kMost];
int watching = 0;

void count(const void* at, int64_t bytes, bool stored) {
  const char* place = static_cast<const char*>(at);
  for (int i = 0; i < watching; ++i) {
    if (place < watched[i].begin || place >= watched[i].end) continue;
    (stored ? watched[i].stored : watched[i].loaded).fetch_add(bytes, std::memory_order_relaxed);
    return;
  }
}

}  // namespace

extern "C" {

void count_nothing() { watching = 0; }

void count_in(const void* begin, int64_t bytes) {
  Watched& next = watched[watching++];
  next.begin = static_cast<const char*>(begin);
  next.end = next.begin + bytes;
  next.loaded = 0;
  next.stored = 0;
}

int64_t counted_loads(int which) { return watched[which].loaded; }
int64_t counted_stores(int which) { return watched[which].stored; }

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void* at, unsigned long bytes) { count(at, bytes, false); }
void __tsan_write_range(void* at, unsigned long bytes) { count(at, bytes, true); }

#define COUNTED(BYTES)                                                              \
  void __tsan_read##BYTES(void* at) { count(at, BYTES, false); }                    \
  void __tsan_write##BYTES(void* at) { count(at, BYTES, true); }                    \
  void __tsan_volatile_read##BYTES(void* at) { count(at, BYTES, false); }           \
  void __tsan_volatile_write##BYTES(void* at) { count(at, BYTES, true); }           \
  void __tsan_unaligned_read##BYTES(void* at) { count(at, BYTES, false); }          \
  void __tsan_unaligned_write##BYTES(void* at) { count(at, BYTES, true); }          \
  void __tsan_unaligned_volatile_read##BYTES(void* at) { count(at, BYTES, false); } \
  void __tsan_unaligned_volatile_write##BYTES(void* at) { count(at, BYTES, true); }
COUNTED(1)
COUNTED(2)
COUNTED(4)
COUNTED(8)
COUNTED(16)

// What threads and shared pointers are made of. Their memory is none of the tensors'.
#define ATOMIC(BITS, TYPE)                                                                      \
  TYPE __tsan_atomic##BITS##_load(const volatile TYPE* at, int) {                               \
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                               \
  }                                                                                             \
  void __tsan_atomic##BITS##_store(volatile TYPE* at, TYPE value, int) {                        \
    __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                              \
  }                                                                                             \
  TYPE __tsan_atomic##BITS##_exchange(volatile TYPE* at, TYPE value, int) {                     \
    return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                                    \
  }                                                                                             \
  TYPE __tsan_atomic##BITS##_fetch_add(volatile TYPE* at, TYPE value, int) {                    \
    return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);                                     \
  }                                                                                             \
  TYPE __tsan_atomic##BITS##_fetch_sub(volatile TYPE* at, TYPE value, int) {                    \
    return __atomic_fetch_sub(at, value, __ATOMIC_SEQ_CST);                                     \
  }                                                                                             \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile TYPE* at, TYPE* old, TYPE value,   \
                                                    int, int) {                                 \
    return __atomic_compare_exchange_n(at, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                             \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile TYPE* at, TYPE* old, TYPE value,     \
                                                  int, int) {                                   \
    return __atomic_compare_exchange_n(at, old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
ATOMIC(8, uint8_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// Copies of whole rows: a function of the C library, which nobody else looks into.
void* __real_memcpy(void* to, const void* from, size_t bytes);
void* __real_memmove(void* to, const void* from, size_t bytes);
void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  count(from, bytes, false);
  count(to, bytes, true);
  return __real_memcpy(to, from, bytes);
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  count(from, bytes, false);
  count(to, bytes, true);
  return __real_memmove(to, from, bytes);
}

}  // extern "C"
