// What each line of a kernel moves: bytes asked for, and what the hardware would make of them.
//
// Lanes of a warp that execute the same instruction for the same time make one request. Global
// memory answers in sectors of 32 bytes, shared memory in passes over 32 banks of 4 bytes.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudasim/abi.h"
#include "memory.h"
#include "thread.h"

namespace cudasim {

// An instruction that accesses memory, in one kernel.
struct Site {
  Pc pc = nullptr;
  std::string kernel;
  Space space = Space::Global;
  cudasim_access kind = CUDASIM_READ;
  unsigned width = 0;
  uint64_t accesses = 0;
  uint64_t bytes = 0;
  uint64_t requests = 0;
  // Global: bytes of the sectors touched, and of the fewest that could hold the bytes. Shared:
  // passes over the banks, and the fewest that the bytes need.
  uint64_t moved = 0;
  uint64_t fewest = 0;
};

const char* name_of(cudasim_access kind);

class Traffic {
 public:
  void begin_kernel(const std::string& kernel);
  uint32_t site(Pc pc, Space space, cudasim_access kind);
  void access(uint32_t site, uintptr_t address, size_t bytes, const Thread& thread,
              unsigned live_lanes);
  void end_warp(unsigned warp);
  const std::vector<Site>& sites() const { return sites_; }
  Pc pc_of(uint32_t site) const { return sites_[site].pc; }
  void clear();

 private:
  struct Request {
    unsigned lanes = 0;
    unsigned bytes = 0;
    uintptr_t addresses[kWarpSize];
  };
  // One instruction of one warp: requests that lack lanes, the first of them the `first`-th.
  struct Open {
    uint32_t seen[kWarpSize] = {};
    uint32_t first = 0;
    std::deque<Request> requests;
  };

  void account(uint32_t site, const Request& request);

  std::string kernel_;
  std::vector<Site> sites_;
  std::unordered_map<Pc, uint32_t> by_pc_;
  Pc last_pc_ = nullptr;
  uint32_t last_site_ = 0;
  std::vector<std::unordered_map<uint32_t, Open>> warps_ =
      std::vector<std::unordered_map<uint32_t, Open>>(kMaxThreads / kWarpSize);
};

Traffic& traffic();

}  // namespace cudasim
