// Prefix sums over a tile or a coalesced group.
#pragma once

#include "cooperative_groups/reduce.h"

#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

template <class Group, class T, class F>
inline HOTLOOP_MEMBER T inclusive_scan(const Group& group, T value, F combine) {
  T total = value;
  for (unsigned delta = 1; delta < group.num_threads(); delta *= 2) {
    const T before = group.shfl_up(total, delta);
    if (group.thread_rank() >= delta) total = combine(before, total);
  }
  return total;
}

template <class Group, class T>
inline HOTLOOP_MEMBER T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

template <class Group, class T, class F>
inline HOTLOOP_MEMBER T exclusive_scan(const Group& group, T value, F combine) {
  const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
  return group.thread_rank() ? before : T();
}

template <class Group, class T>
inline HOTLOOP_MEMBER T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
