// Thread blocks, tiles whose size is a power of two, coalesced groups, and thread_group, for any of them.
#pragma once

#include "cuda_runtime.h"
#include "hotloop/arrive_wait.h"

#pragma clang force_cuda_host_device begin

namespace cooperative_groups {

// Shared memory for tiles of more than one warp: a barrier for each tile and a value of each warp.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {
  hotloop::arrive_wait barriers[MaxBlockSize / 64 + 1];
  unsigned long long values[MaxBlockSize / 32 + 1][2];
};

class thread_block {
 public:
  static HOTLOOP_MEMBER void sync() { __syncthreads(); }
  static HOTLOOP_MEMBER unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx); }
  static dim3 thread_index() { return dim3(threadIdx); }
  static dim3 dim_threads() { return dim3(blockDim); }
  static dim3 group_dim() { return dim3(blockDim); }

  hotloop::arrive_wait* barriers = nullptr;  // both null without a block_tile_memory
  unsigned long long (*values)[2] = nullptr;
};

HOTLOOP_INLINE thread_block this_thread_block() { return {}; }
template <unsigned N>
HOTLOOP_INLINE thread_block this_thread_block(block_tile_memory<N>& memory) {
  for (unsigned i = thread_block::thread_rank(); i < N / 64 + 1; i += thread_block::num_threads()) memory.barriers[i].init(0);
  __syncthreads();
  thread_block block;
  block.barriers = memory.barriers;
  block.values = memory.values;
  return block;
}

// The common base of tiles and coalesced groups: lanes of one warp, given by a mask.
class lanes {
 public:
  unsigned num_threads() const { return __builtin_popcount(mask_); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return __builtin_popcount(mask_ & ((1u << hotloop_index(12)) - 1));
  }
  HOTLOOP_MEMBER void sync() const { __syncwarp(mask_); }
  HOTLOOP_MEMBER int any(int p) const { return __any_sync(mask_, p); }
  HOTLOOP_MEMBER int all(int p) const { return __all_sync(mask_, p); }
  HOTLOOP_MEMBER unsigned ballot(int p) const {
    return pack(__ballot_sync(mask_, p));
  }
  template <class T>
  HOTLOOP_MEMBER unsigned match_any(T value) const {
    return pack(__match_any_sync(mask_, value));
  }
  template <class T>
  HOTLOOP_MEMBER unsigned match_all(T value, int& all_equal) const {
    return pack(__match_all_sync(mask_, value, &all_equal));
  }
  template <class T>
  HOTLOOP_MEMBER T shfl(T value, unsigned rank) const {
    return shuffled(value, lane_of(rank % num_threads()));
  }
  template <class T>
  HOTLOOP_MEMBER T shfl_up(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shuffled(value, lane_of(rank >= delta ? rank - delta : rank));
  }
  template <class T>
  HOTLOOP_MEMBER T shfl_down(T value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return shuffled(value, lane_of(rank + delta < num_threads() ? rank + delta : rank));
  }
  template <class T>
  HOTLOOP_MEMBER T shfl_xor(T value, unsigned bits) const {
    const unsigned rank = thread_rank();
    const unsigned other = rank ^ bits;
    return shuffled(value, lane_of(other < num_threads() ? other : rank));
  }
  unsigned mask() const { return mask_; }

 protected:
  explicit lanes(unsigned mask) : mask_(mask) {}

  // A type of more than 8 bytes is shuffled in words of 4.
  template <class T>
  HOTLOOP_MEMBER T shuffled(T value, int lane) const {
    if constexpr (sizeof(T) <= 8) {
      return __shfl_sync(mask_, value, lane);
    } else {
      static_assert(sizeof(T) % 4 == 0, "a tile shuffles values of 1 to 8 bytes, or of whole words");
      unsigned words[sizeof(T) / 4];
      __builtin_memcpy(words, &value, sizeof value);
#pragma unroll
      for (unsigned& word : words) word = __shfl_sync(mask_, word, lane);
      __builtin_memcpy(&value, words, sizeof value);
      return value;
    }
  }

  // lane_of: the lane of a rank. pack: bits by lane become bits by rank.
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

// A tile of several warps. Its threads synchronize at a barrier in the block's block_tile_memory.
template <unsigned N>
class warps {
  static_assert(N > 32 && N <= 1024 && (N & (N - 1)) == 0, "tiles have a power of two of threads");

 public:
  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  static unsigned thread_rank() { return thread_block::thread_rank() % N; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / N; }
  static unsigned meta_group_size() { return (thread_block::num_threads() + N - 1) / N; }
  HOTLOOP_MEMBER void sync() const {
    hotloop::arrive_wait& barrier = block_.barriers[meta_group_rank()];
    barrier.wait(barrier.arrive(1, N));
  }
  // Each thread gets the values of all warps, each already combined, combined in the order of the warps.
  template <class T, class F>
  HOTLOOP_MEMBER T combined(T of_warp, F combine) const {
    static_assert(sizeof(T) <= 16, "a tile of several warps combines values of at most 16 bytes");
    T* values = reinterpret_cast<T*>(block_.values + meta_group_rank() * (N / 32));
    constexpr unsigned stride = 16 / sizeof(T);
    if (hotloop_index(12) == 0) values[thread_rank() / 32 * stride] = of_warp;
    sync();
    T total = values[0];
    for (unsigned warp = 1; warp < N / 32; ++warp) total = combine(total, values[warp * stride]);
    sync();
    return total;
  }

 protected:
  explicit warps(const thread_block& block) : block_(block) {}
  thread_block block_;
};

template <unsigned N, class Parent = void, bool InOneWarp = N <= 32>
class thread_block_tile;

template <unsigned N, class Parent>
class thread_block_tile<N, Parent, false> : public warps<N> {
 public:
  explicit thread_block_tile(const thread_block& block) : warps<N>(block) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<N, Other, false>& other) : warps<N>(other) {}
};

// Tiles and coalesced groups know how many groups their parent was divided into, and which of these they are.
class part_of_a_group : public lanes {
 public:
  unsigned meta_group_rank() const { return rank_; }
  unsigned meta_group_size() const { return size_; }

 protected:
  part_of_a_group(unsigned mask, unsigned rank, unsigned size) : lanes(mask), rank_(rank), size_(size) {}
  unsigned rank_, size_;
};

template <unsigned N, class Parent>
class thread_block_tile<N, Parent, true> : public part_of_a_group {
  static_assert(N >= 1 && (N & (N - 1)) == 0, "tiles have a power of two of threads");

 public:
  template <class Group>
  explicit thread_block_tile(const Group& parent)
      : part_of_a_group((N == 32 ? 0xffffffffu : ((1u << N % 32) - 1)) << (hotloop_index(12) & ~(N - 1)),
                        parent.thread_rank() / N, (parent.num_threads() + N - 1) / N) {}
  // A thread_block_tile<N> does not say what it was partitioned from.
  template <class Other>
  thread_block_tile(const thread_block_tile<N, Other, true>& other)
      : part_of_a_group(other.mask(), other.meta_group_rank(), other.meta_group_size()) {}

  static constexpr unsigned num_threads() { return N; }
  static constexpr unsigned size() { return N; }
  static unsigned thread_rank() { return hotloop_index(12) & (N - 1); }
};

class coalesced_group : public part_of_a_group {
 public:
  explicit coalesced_group(unsigned mask, unsigned rank = 0, unsigned size = 1) : part_of_a_group(mask, rank, size) {}
};

// A block, a tile or a coalesced group.
class thread_group {
 public:
  thread_group(const thread_block&) : mask_(0) {}
  thread_group(const lanes& group) : mask_(group.mask()) {}
  unsigned num_threads() const { return mask_ ? __builtin_popcount(mask_) : thread_block::num_threads(); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return mask_ ? coalesced_group(mask_).thread_rank() : thread_block::thread_rank(); }
  HOTLOOP_MEMBER void sync() const {
    if (mask_) {
      __syncwarp(mask_);
    } else {
      __syncthreads();
    }
  }

 private:
  unsigned mask_;  // 0: the block
};

template <unsigned N, class Parent>
inline HOTLOOP_MEMBER auto tiled_partition(const Parent& parent) {
  static_assert(N <= 32 || std::is_same<Parent, thread_block>::value, "a tile of several warps is cut from a block");
  return thread_block_tile<N, Parent>(parent);
}
// n need not be a compile-time constant: a power of two up to 32.
HOTLOOP_INLINE thread_group tiled_partition(const thread_group&, unsigned n) {
  const unsigned all = n >= 32 ? 0xffffffffu : (1u << n) - 1;
  return coalesced_group(all << (hotloop_index(12) & ~(n - 1)));
}
// Of a coalesced group, n neighbors by rank form a tile.
inline HOTLOOP_MEMBER coalesced_group tiled_partition(const coalesced_group& parent, unsigned n) {
  const unsigned tile = parent.thread_rank() / n;
  unsigned mask = 0, rank = 0;
  for (unsigned rest = parent.mask(); rest; rest &= rest - 1) {
    if (rank++ / n == tile) mask |= rest & -rest;
  }
  return coalesced_group(mask, tile, (parent.num_threads() + n - 1) / n);
}

HOTLOOP_INLINE coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}
// The lanes of a tile or a coalesced group with the same label or predicate. The groups count by their first lanes.
HOTLOOP_INLINE coalesced_group hotloop_part(const lanes& group, unsigned mask) {
  const unsigned lane = hotloop_index(12), first = mask & -mask;
  const unsigned leaders = __ballot_sync(group.mask(), first == 1u << lane);
  return coalesced_group(mask, __builtin_popcount(leaders & (first - 1)), __builtin_popcount(leaders));
}
HOTLOOP_INLINE coalesced_group binary_partition(const lanes& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.mask(), predicate);
  return hotloop_part(group, predicate ? yes : group.mask() & ~yes);
}
template <class T>
HOTLOOP_INLINE coalesced_group labeled_partition(const lanes& group, T label) {
  return hotloop_part(group, __match_any_sync(group.mask(), label));
}

// Calls the function in one thread of a tile or a coalesced group.
template <class Group, class F, class... Arguments>
inline HOTLOOP_MEMBER void invoke_one(const Group& group, F&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(std::forward<Arguments>(arguments)...);
}
template <class Group, class F, class... Arguments>
inline HOTLOOP_MEMBER auto invoke_one_broadcast(const Group& group, F&& function, Arguments&&... arguments) {
  decltype(function(std::forward<Arguments>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(std::forward<Arguments>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
inline HOTLOOP_MEMBER void sync(const Group& group) {
  group.sync();
}
template <class Group>
inline HOTLOOP_MEMBER auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
inline HOTLOOP_MEMBER auto num_threads(const Group& group) {
  return group.num_threads();
}
template <class Group>
inline HOTLOOP_MEMBER auto group_size(const Group& group) {
  return group.num_threads();
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
  static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  static unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
  static dim3 block_index() { return dim3(blockIdx); }
  static dim3 dim_blocks() { return dim3(gridDim); }
  static dim3 group_dim() { return dim3(gridDim); }
  static bool is_valid() { return hotloop_index(14) != 0; }
  static HOTLOOP_MEMBER void sync() {
    if (!is_valid()) hotloop_failed("grid.sync() needs cudaLaunchCooperativeKernel", "grid_group::sync");
    hotloop_wait(HOTLOOP_GRID, 0, 0, 0);
  }
};

HOTLOOP_INLINE grid_group this_grid() { return {}; }

template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
