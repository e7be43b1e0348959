// Runs the blocks of a grid one after the other, and each block's threads as fibers: a warp goes as
// far as it can, lane by lane, then the next one. The order is a parameter, because a program must
// not depend on it.
#pragma once

#include <string>

#include "thread.h"

namespace cudasim {

// The error codes of the launches; equal to cudaError_t.
enum class Failure : int {
  None = 0,
  InvalidValue = 1,
  MemoryAllocation = 2,
  InvalidConfiguration = 9,
  LaunchOutOfResources = 701,
  Assert = 710,
  LaunchFailure = 719,
  IllegalAddress = 700,
  MisalignedAddress = 716,
};

struct Grid {
  std::string kernel;
  dim3 blocks;
  dim3 threads;
  size_t dynamic_shared = 0;
  size_t most_shared = 0;
  void (*body)(void*) = nullptr;
  void* closure = nullptr;
  size_t closure_size = 0;
};

// "forward", "reverse" or "random:SEED". False for anything else.
bool set_order(const char* order);

Failure run_grid(const Grid& grid);

// The thread that runs, or null where the host runs.
extern Thread* running;

const Block& current_block();
const std::string& current_kernel();
uint3 block_index(uint32_t number);
uint3 thread_index(unsigned rank);
Place current_place();
unsigned live_lanes(unsigned warp);
size_t dynamic_shared_bytes();

// While one of these lives, the runtime is at work for a thread and must not be interrupted.
struct Busy {
  Busy();
  ~Busy();
};
// True where a signal's handler has to wait: the runtime itself is at work.
bool is_busy();

// The running thread's last known place in the source, for what is found asynchronously.
extern Pc last_pc;

// Called where a thread may be waiting for another one's write: now and then it has to wait.
void let_others_run();

// Gives up the launch. Does not return.
[[noreturn]] void abandon(Failure failure);
bool is_stack_guard(uintptr_t address);
// True in what belongs to the running thread alone, its stack, and in the kernel's parameters.
bool is_private(uintptr_t address);

}  // namespace cudasim
