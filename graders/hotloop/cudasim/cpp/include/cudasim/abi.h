// What a translated program calls in the runtime. Plain types, C linkage.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "vector_types.h"

#ifdef CUDASIM_RUNTIME
#define CUDASIM_CONSTANT
#else
#define CUDASIM_CONSTANT const
#endif

enum cudasim_vote { CUDASIM_COUNT, CUDASIM_AND, CUDASIM_OR };

enum cudasim_warp_op {
  CUDASIM_SYNC,
  CUDASIM_SHUFFLE,
  CUDASIM_BALLOT,
  CUDASIM_MATCH_ANY,
  CUDASIM_MATCH_ALL,
  CUDASIM_ADD_U32,
  CUDASIM_MIN_U32,
  CUDASIM_MAX_U32,
  CUDASIM_MIN_S32,
  CUDASIM_MAX_S32,
  CUDASIM_BIT_AND,
  CUDASIM_BIT_OR,
  CUDASIM_BIT_XOR,
  CUDASIM_ACTIVE,
};

enum cudasim_access { CUDASIM_READ, CUDASIM_WRITE, CUDASIM_ATOMIC };

enum cudasim_symbol_kind {
  CUDASIM_DEVICE_SYMBOL,
  CUDASIM_CONSTANT_SYMBOL,
  CUDASIM_MANAGED_SYMBOL,
};

extern "C" {

// Where a kernel is. The runtime sets them whenever another CUDA thread runs on; within a thread
// they never change, and are constants to the program. Not dim3, whose constructors would make an
// access of each use.
extern CUDASIM_CONSTANT uint3 threadIdx;
extern CUDASIM_CONSTANT uint3 blockIdx;
extern CUDASIM_CONSTANT uint3 blockDim;
extern CUDASIM_CONSTANT uint3 gridDim;

// A launch. `body(closure)` makes the kernel's call for the CUDA thread that runs; the closure
// holds the kernel's parameters.
void cudasim_launch(const char* kernel, dim3 grid, dim3 block, size_t shared, void* stream,
                    void (*body)(void*), void* closure, size_t closure_size, const void* entry);
void cudasim_launch_bounds(unsigned most_threads, unsigned fewest_blocks);

// Block-wide and warp-wide collectives. `warp` exchanges 64 bits among the lanes of `mask`. Each is
// the statement that it stands in: compilers may copy the call.
void cudasim_barrier(const char* file, int line);
int cudasim_barrier_vote(cudasim_vote kind, int predicate, const char* file, int line);
uint64_t cudasim_warp(cudasim_warp_op op, unsigned mask, uint64_t value, unsigned source_lane,
                      int line);
unsigned cudasim_lane();
void cudasim_fence();
void cudasim_yield();
__attribute__((noreturn)) void cudasim_trap();

// Memory with a meaning of its own.
void cudasim_shared(void* variable, size_t size, const char* name);
extern unsigned char cudasim_dynamic_shared[];
void cudasim_symbol(void* variable, size_t size, const char* name, cudasim_symbol_kind kind);

// Notes an access that the compiler does not report by itself.
void cudasim_note(const void* address, size_t size, cudasim_access kind);
}
