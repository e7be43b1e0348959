// A CUDA thread, its warp and its block, as the scheduler sees them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cudasim/abi.h"

namespace cudasim {

using Pc = const void*;

constexpr unsigned kWarpSize = 32;
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kFullMask = 0xffffffffu;

enum class State : uint8_t { Ready, AtBarrier, AtWarp, Finished };

// What other blocks did before some moment, as far as atomics and fences pass it on. One entry a
// release; a thread that acquires remembers how many of a location's entries it has seen.
struct Release;
struct Acquired {
  const std::vector<Release>* releases;
  size_t count;
};

// A moment in a thread's life: everything up to it happened before whatever is ordered behind it.
struct Moment {
  uint32_t block = 0;
  uint16_t warp = 0;
  uint32_t barriers = 0;               // accesses in the block with fewer barriers lie before it
  uint32_t known[kWarpSize] = {};      // per lane of the warp: accesses up to that epoch do
};

struct Release {
  uint64_t number = 0;  // of the fence, so that nothing is kept twice
  Moment moment;
  std::vector<Acquired> acquired;
};

struct Thread {
  void* suspended = nullptr;  // its stack pointer while it does not run
  char* stack = nullptr;
  uint3 index = {};
  uint16_t rank = 0;  // in the block: x fastest, as CUDA numbers them
  uint16_t warp = 0;
  uint8_t lane = 0;
  State state = State::Finished;

  Pc waits_at = nullptr;
  const char* waits_in_file = nullptr;  // of a barrier only
  int waits_in_line = 0;
  cudasim_warp_op op = CUDASIM_SYNC;
  unsigned mask = 0;
  uint64_t value = 0;
  uint64_t result = 0;
  unsigned source_lane = 0;
  int predicate = 0;
  unsigned atomics = 0;  // atomics and volatile reads since it last let others run

  // For the order of accesses. epoch: how often this thread synchronised within its warp.
  uint32_t barriers = 0;
  uint32_t epoch = 1;
  uint32_t known[kWarpSize] = {};
  bool fenced = false;
  Release fence;
  // Fences of other threads before the last barrier: what they made visible, this one passes on.
  std::shared_ptr<const std::vector<Release>> passed;
  std::vector<Acquired> acquired;

  unsigned bit() const { return 1u << lane; }
  Moment now(uint32_t block) const {
    Moment moment;
    moment.block = block;
    moment.warp = warp;
    moment.barriers = barriers;
    for (unsigned i = 0; i < kWarpSize; ++i) moment.known[i] = known[i];
    moment.known[lane] = epoch;
    return moment;
  }
};

struct Block {
  uint32_t number = 0;  // in the grid, x fastest
  uint3 index = {};
  std::vector<Thread> threads;
  unsigned warps() const { return (threads.size() + kWarpSize - 1) / kWarpSize; }
};

// "(3, 0, 1)", or "3" for what has one dimension only.
struct Place {
  uint3 block = {};
  uint3 thread = {};
};

}  // namespace cudasim
