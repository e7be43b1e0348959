// Reductions over a tile or a coalesced group.
#pragma once

#include "cooperative_groups.h"

#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

// Each lane gets the values of all lanes, combined in the order of their ranks.
template <class T, class F>
inline HOTLOOP_MEMBER T reduce(const lanes& group, T value, F combine) {
  T total = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.num_threads(); ++rank) {
    total = combine(total, group.shfl(value, rank));
  }
  return total;
}

template <unsigned N, class T, class F>
inline HOTLOOP_MEMBER T reduce(const warps<N>& group, T value, F combine) {
  return group.combined(reduce(thread_block_tile<32>(group), value, combine), combine);
}

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
