// The interface of compiler and simulator: qualifiers, and the functions that a module imports.
// These headers are not trusted: the simulator derives what a kernel does from its WebAssembly.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define __global__ __attribute__((global, annotate("hotloop_kernel")))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device, section("hotloop_managed")))
// Kept by the compiler, so that a tensor map without it can be refused.
#define __grid_constant__ __attribute__((annotate("hotloop_grid_constant")))
#define __launch_bounds__(threads, ...) __attribute__((launch_bounds(threads), annotate("hotloop_bounds", threads)))
#define __maxnreg__(registers)
#define __cluster_dims__(...) __attribute__((unavailable("thread block clusters are not simulated")))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __CUDA_ALIGN__(n) __attribute__((aligned(n)))
#define __nv_pure__ __attribute__((pure))
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI

// Always inlined and without line numbers, so that a finding names the caller's line.
#define HOTLOOP_INLINE static inline __attribute__((always_inline, nodebug))
#define HOTLOOP_MEMBER __attribute__((always_inline, nodebug))
#define HOTLOOP_IMPORT(name) __attribute__((import_module("cuda"), import_name(name)))

enum hotloop_wait : unsigned {
  HOTLOOP_BARRIER, HOTLOOP_COUNT, HOTLOOP_AND, HOTLOOP_OR, HOTLOOP_YIELD,
  HOTLOOP_SYNC, HOTLOOP_SHUFFLE, HOTLOOP_BALLOT, HOTLOOP_MATCH_ANY, HOTLOOP_MATCH_ALL,
  HOTLOOP_ADD, HOTLOOP_MIN_U, HOTLOOP_MAX_U, HOTLOOP_MIN_S, HOTLOOP_MAX_S,
  HOTLOOP_BIT_AND, HOTLOOP_BIT_OR, HOTLOOP_BIT_XOR, HOTLOOP_ACTIVE,
  HOTLOOP_MBARRIER, HOTLOOP_NAMED, HOTLOOP_PRODUCTS, HOTLOOP_GRID,
};
enum hotloop_update : unsigned {
  HOTLOOP_READ, HOTLOOP_WRITE, HOTLOOP_EXCHANGE, HOTLOOP_CAS, HOTLOOP_ADD_INT, HOTLOOP_SUB_INT, HOTLOOP_ADD_FLOAT,
  HOTLOOP_MIN_SIGNED, HOTLOOP_MAX_SIGNED, HOTLOOP_MIN_UNSIGNED, HOTLOOP_MAX_UNSIGNED,
  HOTLOOP_AND_BITS, HOTLOOP_OR_BITS, HOTLOOP_XOR_BITS, HOTLOOP_INC, HOTLOOP_DEC,
};

// Orders of an atomic operation, in bit 8 and 9 of its first argument, and bit 10 if its scope is the block.
enum hotloop_order : unsigned { HOTLOOP_RELAXED = 0, HOTLOOP_ACQUIRE = 1 << 8, HOTLOOP_RELEASE = 1 << 9, HOTLOOP_OF_BLOCK = 1 << 10 };

extern "C" {
// Position of a thread: 0-2 threadIdx, 3-5 blockIdx, 6-8 blockDim, 9-11 gridDim, 12 lane, 13 dynamic
// shared memory in bytes, 14 whether the launch is cooperative.
HOTLOOP_IMPORT("index") __device__ __attribute__((const)) unsigned hotloop_index(unsigned which);
HOTLOOP_IMPORT("clock") __device__ uint64_t hotloop_clock();
// Barriers, votes, shuffles and reductions: suspends the thread until the others have arrived.
HOTLOOP_IMPORT("wait") __device__ __attribute__((convergent)) uint64_t hotloop_wait(unsigned op, unsigned mask, uint64_t value, unsigned source);
// Reads, computes and writes `size` (1, 2, 4 or 8) bytes; returns the previous value.
HOTLOOP_IMPORT("atomic") __device__ uint64_t hotloop_atomic(unsigned op, void* address, unsigned size, uint64_t value, uint64_t expected);
// True if a thread has done many atomic operations in a row: it may wait for another thread.
HOTLOOP_IMPORT("spins") __device__ unsigned hotloop_spins();
HOTLOOP_IMPORT("fence") __device__ void hotloop_fence(unsigned is_of_block);
// Copies 4, 8 or 16 bytes to shared memory: `filled` bytes from memory, the others zeros. They arrive when
// the thread waits for their group.
HOTLOOP_IMPORT("copy_later") __device__ void hotloop_copy_later(void* to, const void* from, unsigned bytes, unsigned filled);
HOTLOOP_IMPORT("commit_copies") __device__ void hotloop_commit_copies();
HOTLOOP_IMPORT("wait_for_copies") __device__ void hotloop_wait_for_copies(unsigned newest);
// Asynchronous operations: hotloop/hopper.cuh has the numbers.
HOTLOOP_IMPORT("mbarrier") __device__ void hotloop_mbarrier(unsigned op, const void* barrier, unsigned value);
HOTLOOP_IMPORT("named_arrive") __device__ void hotloop_named_arrive(unsigned number, unsigned threads);
HOTLOOP_IMPORT("fence_proxy") __device__ void hotloop_fence_proxy(unsigned is_of_init);
HOTLOOP_IMPORT("bulk") __device__ void hotloop_bulk(unsigned op, const void* shared, const void* global, unsigned bytes, const void* barrier);
HOTLOOP_IMPORT("bulk_tensor") __device__ void hotloop_bulk_tensor(unsigned op, const void* shared, const void* map, const void* barrier, int x, int y, int z, int u, int v);
HOTLOOP_IMPORT("bulk_group") __device__ void hotloop_bulk_group(unsigned op, unsigned newest);
HOTLOOP_IMPORT("wgmma") __device__ __attribute__((convergent)) void hotloop_wgmma(float* d, uint64_t a, uint64_t b, const void* rows, unsigned how);
HOTLOOP_IMPORT("wgmma_group") __device__ void hotloop_wgmma_group(unsigned op);
// Of what is read and not run: 16 bytes at d change by 16 bytes at a and 8 at b; count · 4 bytes at r become
// bytes of rows of 16, whose addresses come from lanes.
HOTLOOP_IMPORT("product") __device__ void hotloop_product(float* d, const void* a, const void* b);
HOTLOOP_IMPORT("rows") __device__ void hotloop_rows(unsigned* r, const void* row, unsigned count);
HOTLOOP_IMPORT("trap") __device__ __attribute__((noreturn)) void hotloop_trap();
HOTLOOP_IMPORT("print") __device__ int hotloop_print(const char* format, void* arguments);
HOTLOOP_IMPORT("failed") __device__ __attribute__((noreturn)) void hotloop_failed(const char* expression, const char* function);
HOTLOOP_IMPORT("outside") __device__ __attribute__((noreturn)) void hotloop_outside(unsigned index);
// The access of this address that comes next is volatile.
HOTLOOP_IMPORT("volatile") __device__ void hotloop_volatile(const volatile void* address);
HOTLOOP_IMPORT("space") __device__ unsigned hotloop_space(const void* address);
}

// An object without members, so that reading a coordinate does not access memory.
#define HOTLOOP_COORDINATES(name, first)                                                          \
  struct hotloop_##name {                                                                         \
    __declspec(property(get = get_x)) unsigned x;                                                 \
    __declspec(property(get = get_y)) unsigned y;                                                 \
    __declspec(property(get = get_z)) unsigned z;                                                 \
    __device__ HOTLOOP_MEMBER unsigned get_x() const { return hotloop_index(first); }             \
    __device__ HOTLOOP_MEMBER unsigned get_y() const { return hotloop_index(first + 1); }         \
    __device__ HOTLOOP_MEMBER unsigned get_z() const { return hotloop_index(first + 2); }         \
    __device__ HOTLOOP_MEMBER operator uint3() const { return {get_x(), get_y(), get_z()}; }      \
    __device__ HOTLOOP_MEMBER operator dim3() const { return dim3(get_x(), get_y(), get_z()); }   \
  };                                                                                              \
  static const __device__ hotloop_##name name = {};

static inline __device__ HOTLOOP_MEMBER clock_t clock() { return static_cast<clock_t>(hotloop_clock()); }

// Device code only: host code may define functions with these names.
static inline __device__ HOTLOOP_MEMBER unsigned umin(unsigned a, unsigned b) { return b < a ? b : a; }
static inline __device__ HOTLOOP_MEMBER unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
