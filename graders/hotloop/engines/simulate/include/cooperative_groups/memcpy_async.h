// Collective asynchronous copies: each thread of the group copies its share with cp.async.
#pragma once

#include "cooperative_groups.h"
#include "cuda_pipeline.h"

#pragma clang force_cuda_host_device begin

namespace cuda {
// A size that is a multiple of Align, for addresses that are, too.
template <size_t Align>
struct aligned_size_t {
  size_t value;
  constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  constexpr operator size_t() const { return value; }
};
}  // namespace cuda

namespace hotloop {

template <unsigned Bytes>
inline HOTLOOP_MEMBER unsigned copy_share(char* to, const char* from, unsigned done, unsigned bytes, unsigned rank, unsigned threads) {
  if ((reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) % Bytes) return done;
  for (unsigned at = done + rank * Bytes; at + Bytes <= bytes; at += threads * Bytes) hotloop_copy_later(to + at, from + at, Bytes, Bytes);
  return done + (bytes - done) / Bytes * Bytes;
}

// The rest, and copies of another kind than from global to shared memory, are done at once.
inline HOTLOOP_MEMBER void copy_together(void* destination, const void* source, unsigned bytes, unsigned rank, unsigned threads) {
  char* to = static_cast<char*>(destination);
  const char* from = static_cast<const char*>(source);
  unsigned done = 0;
  if (hotloop_space(to) == 1 && hotloop_space(from) == 2) {
    done = copy_share<16>(to, from, done, bytes, rank, threads);
    done = copy_share<4>(to, from, done, bytes, rank, threads);
  }
  for (unsigned at = done + rank; at < bytes; at += threads) to[at] = from[at];
}

}  // namespace hotloop

namespace cooperative_groups {

template <class Group>
inline HOTLOOP_MEMBER void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  hotloop::copy_together(to, from, static_cast<unsigned>(bytes), group.thread_rank(), group.num_threads());
  hotloop_commit_copies();
}
// Sizes in elements of T: the smaller one counts.
template <class Group, class T>
inline HOTLOOP_MEMBER void memcpy_async(const Group& group, T* to, size_t room, const T* from, size_t count) {
  memcpy_async(group, static_cast<void*>(to), static_cast<const void*>(from), (count < room ? count : room) * sizeof(T));
}
template <unsigned Newest, class Group>
inline HOTLOOP_MEMBER void wait_prior(const Group& group) {
  hotloop_wait_for_copies(Newest);
  group.sync();
}
template <class Group>
inline HOTLOOP_MEMBER void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups

#pragma clang force_cuda_host_device end
