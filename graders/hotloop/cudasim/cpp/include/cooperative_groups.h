// Thread blocks, tiles of a power of two of lanes, and coalesced groups.
#pragma once

#include "cudasim/abi.h"
#include "cudasim/qualifiers.h"
#include "cudasim/sync.h"

namespace cooperative_groups {

class thread_block {
 public:
  static __attribute__((always_inline)) void sync(CUDASIM_HERE) { __syncthreads(file, line); }
  static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 dim_threads() { return dim3(blockDim); }
  static dim3 group_dim() { return dim3(blockDim); }
};

CUDASIM_INLINE thread_block this_thread_block() { return {}; }

// What tiles and coalesced groups share: lanes of one warp, named by a mask.
class lanes {
 public:
  unsigned num_threads() const { return __builtin_popcount(mask_); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return __builtin_popcount(mask_ & ((1u << cudasim_lane()) - 1));
  }
  __attribute__((always_inline)) void sync() const { __syncwarp(mask_); }
  __attribute__((always_inline)) int any(int p) const { return __any_sync(mask_, p); }
  __attribute__((always_inline)) int all(int p) const { return __all_sync(mask_, p); }
  __attribute__((always_inline)) unsigned ballot(int p) const {
    return pack(__ballot_sync(mask_, p));
  }
  template <class T>
  __attribute__((always_inline)) unsigned match_any(T value) const {
    return pack(__match_any_sync(mask_, value));
  }
  template <class T>
  __attribute__((always_inline)) T shfl(T value, unsigned rank) const {
    return __shfl_sync(mask_, value, lane_of(rank % num_threads()));
  }
  template <class T>
  __attribute__((always_inline)) T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __shfl_sync(mask_, value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <class T>
  __attribute__((always_inline)) T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return __shfl_sync(mask_, value, lane_of(rank + delta < num_threads() ? rank + delta : rank));
  }
  template <class T>
  __attribute__((always_inline)) T shfl_xor(T value, unsigned bits) const {
    const unsigned rank = thread_rank();
    const unsigned other = rank ^ bits;
    return __shfl_sync(mask_, value, lane_of(other < num_threads() ? other : rank));
  }
  unsigned mask() const { return mask_; }

 protected:
  explicit lanes(unsigned mask) : mask_(mask) {}

  // The lane with a rank, and lanes as bits by rank.
  int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rank--) rest &= rest - 1;
    return __builtin_ctz(rest);
  }
  unsigned pack(unsigned by_lane) const {
    unsigned by_rank = 0;
    for (unsigned rank = 0; rank < num_threads(); ++rank) {
      by_rank |= (by_lane >> lane_of(rank) & 1u) << rank;
    }
    return by_rank;
  }

  unsigned mask_;
};

template <unsigned N, class Parent = void>
class thread_block_tile : public lanes {
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "tiles have a power of two of lanes");

 public:
  thread_block_tile()
      : lanes((N == 32 ? 0xffffffffu : ((1u << N % 32) - 1)) << (cudasim_lane() & ~(N - 1))) {}
  // A tile forgets what it was cut from.
  template <class Other>
  thread_block_tile(const thread_block_tile<N, Other>&) : thread_block_tile() {}

  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  static unsigned thread_rank() { return cudasim_lane() & (N - 1); }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
  static unsigned meta_group_size() { return (thread_block::num_threads() + N - 1) / N; }
};

class coalesced_group : public lanes {
 public:
  explicit coalesced_group(unsigned mask) : lanes(mask) {}
};

template <unsigned N, class Group>
inline __attribute__((always_inline)) thread_block_tile<N, Group> tiled_partition(const Group&) {
  return {};
}

CUDASIM_INLINE coalesced_group coalesced_threads(int line = __builtin_LINE()) {
  return coalesced_group(__activemask(line));
}

template <class Group>
inline __attribute__((always_inline)) void sync(const Group& group) {
  group.sync();
}

class grid_group {
 public:
  static unsigned long long thread_rank() {
    const unsigned long long block =
        blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                         (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
    return block * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z *
           thread_block::num_threads();
  }
  static unsigned long long size() { return num_threads(); }
  template <class T = void>
  void sync() const {
    static_assert(sizeof(T*) == 0,
                  "cudasim: grid.sync() is not simulated, because blocks run one after the other");
  }
};

CUDASIM_INLINE grid_group this_grid() { return {}; }

template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

}  // namespace cooperative_groups
