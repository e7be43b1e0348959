// A kernel launch: checks the configuration as the driver does, then runs the grid.

#include <mutex>

#include "findings.h"
#include "host.h"
#include "launches.h"
#include "memory.h"
#include "scheduler.h"
#include "shared.h"
#include "functions.h"

namespace cudasim {
namespace {

constexpr uint64_t kMostBlocksX = 0x7fffffff;
constexpr uint64_t kMostBlocksYZ = 65535;

bool is_valid(dim3 grid, dim3 block) {
  if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z) return false;
  if (grid.x > kMostBlocksX || grid.y > kMostBlocksYZ || grid.z > kMostBlocksYZ) return false;
  if (block.x > 1024 || block.y > 1024 || block.z > 64) return false;
  return uint64_t{block.x} * block.y * block.z <= kMaxThreads;
}

void record(const Grid& grid) {
  for (LaunchRecord& known : launches()) {
    const bool same = known.kernel == grid.kernel && known.grid.x == grid.blocks.x &&
                      known.grid.y == grid.blocks.y && known.grid.z == grid.blocks.z &&
                      known.block.x == grid.threads.x && known.block.y == grid.threads.y &&
                      known.block.z == grid.threads.z &&
                      known.dynamic_shared == grid.dynamic_shared;
    if (!same) continue;
    ++known.launches;
    return;
  }
  launches().push_back({grid.kernel, grid.blocks, grid.threads, shared().static_bytes(),
                        grid.dynamic_shared, 1});
}

}  // namespace

std::vector<LaunchRecord>& launches() {
  static auto* all = new std::vector<LaunchRecord>;
  return *all;
}

}  // namespace cudasim

using namespace cudasim;

extern "C" void cudasim_launch(const char* kernel, dim3 blocks, dim3 threads, size_t dynamic,
                               void*, void (*body)(void*), void* closure, size_t closure_size,
                               const void* entry) {
  static std::mutex one_at_a_time;
  const Pc at = __builtin_return_address(0);
  if (running) {
    Finding finding;
    finding.kind = "unsupported";
    finding.text = "A kernel launches a kernel: dynamic parallelism is not simulated.";
    finding.kernel = current_kernel();
    finding.witnesses = {{at, "launches", true, current_place()}};
    findings().add(std::move(finding));
    abandon(Failure::LaunchFailure);
  }
  const std::lock_guard<std::mutex> lock(one_at_a_time);
  if (is_lost()) return;
  if (!is_valid(blocks, threads)) {
    remember(Failure::InvalidConfiguration, at, kernel);
    return;
  }
  const size_t allowed = dynamic_shared_allowed(entry);
  if (dynamic > allowed) {
    remember(Failure::InvalidValue, at, kernel);
    return;
  }
  Grid grid;
  grid.kernel = kernel;
  grid.blocks = blocks;
  grid.threads = threads;
  grid.dynamic_shared = dynamic;
  grid.most_shared = allowed > kSharedWithoutAsking ? kSharedAtMost : kSharedWithoutAsking;
  grid.body = body;
  grid.closure = closure;
  grid.closure_size = closure_size;
  memory().open();
  const Failure failure = run_grid(grid);
  memory().shut();
  record(grid);
  if (failure != Failure::None) remember(failure, at, kernel);
}

extern "C" void cudasim_launch_bounds(unsigned most_threads, unsigned) {
  const uint64_t threads = uint64_t{blockDim.x} * blockDim.y * blockDim.z;
  if (threads <= most_threads) return;
  abandon(Failure::InvalidValue);
}
