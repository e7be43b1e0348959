// Reductions over a tile or a coalesced group.
#pragma once

#include "cooperative_groups.h"

namespace cooperative_groups {

// Every lane gets the value of all lanes, combined in the order of their ranks.
template <class Group, class T, class F>
inline __attribute__((always_inline)) T reduce(const Group& group, T value, F combine) {
  T total = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.num_threads(); ++rank) {
    total = combine(total, group.shfl(value, rank));
  }
  return total;
}

}  // namespace cooperative_groups
