// Right kernels, each chosen by its name: `program NAME`. Each writes 1 to all of `out` if its result is right.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda_pipeline.h>
#include <nvtx3/nvToolsExt.h>

#include "rules.h"

namespace cg = cooperative_groups;

// --- reads that the source does not make ---------------------------------------------------------------

KERNEL(guarded_shared_scalar, 1, 32) {
  __shared__ int s;
  if (n > 0 && T == 0) s = 5;
  __syncthreads();
  out[I] = (n > 0 ? s : 1) == 1;
}
KERNEL(one_warp_reads_a_shared_scalar, 1, 64) {
  __shared__ int s;
  if (T == 32) s = 7;
  __syncwarp();
  out[I] = (T >= 32 ? s : 7) == 7;
}
KERNEL(last_block_reads_a_scalar, 4, 32) {
  __shared__ bool is_last;
  if (T == 0) {
    if (blockIdx.x == 0) message = 2;
    __threadfence();
    is_last = atomicAdd(&counters[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  const int v = is_last ? message : 0;
  out[I] = v == 2 || !is_last;
}

// --- messages through locations ------------------------------------------------------------------------

KERNEL(more_counters_than_lanes_know_alone, 4, 32) {
  parts[blockIdx.x * 32 + T] = blockIdx.x + T;
  __threadfence();
  const unsigned before = atomicAdd(&counters[T], 1);
  const unsigned done = __ballot_sync(~0u, before == gridDim.x - 1);
  __threadfence();
  __syncwarp();
  bool right = true;
  if (T == 0) {
    for (int c = 0; c < 32; ++c) {
      if (!(done >> c & 1)) continue;
      int sum = 0;
      for (int b = 0; b < gridDim.x; ++b) sum += parts[b * 32 + c];
      right &= sum == 6 + 4 * c;
    }
  }
  out[I] = right;
}
KERNEL(a_counter_for_each_thread_of_a_block, 3, 256) {
  __shared__ int finished;
  if (T == 0) finished = 0;
  __syncthreads();
  parts[blockIdx.x * 256 + T] = 1;
  __threadfence();
  if (atomicAdd(&counters[T], 1) == gridDim.x - 1) atomicAdd(&finished, 1);
  __syncthreads();
  int sum = 0;
  if (finished == 256 && T == 0) {
    for (int i = 0; i < gridDim.x * 256; ++i) sum += parts[i];
    sum -= gridDim.x * 256;
  }
  out[I] = sum == 0;
}
KERNEL(a_flag_with_both_fences, 1, 64) {
  if (T == 0) {
    message = 42;
    __threadfence();
    atomicExch(&flag, 1);
  }
  int got = 42;
  if (T == 32) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    got = message;
  }
  out[I] = got == 42;
}
KERNEL(a_volatile_flag_with_both_fences, 1, 64) {
  __shared__ int data[32];
  __shared__ volatile int ready;
  if (T == 0) ready = 0;
  __syncthreads();
  if (T < 32) {
    data[T] = 3 * T;
    __syncwarp();
    if (T == 0) {
      __threadfence_block();
      ready = 1;
    }
    out[I] = 1;
  } else {
    if (T == 32) {
      while (ready == 0) {
      }
      __threadfence_block();
    }
    __syncwarp();
    out[I] = data[63 - T] == 3 * (63 - T);
  }
}
KERNEL(a_lock_that_a_volatile_store_opens, 3, 32) {
  if (T == 0) {
    while (atomicCAS(&flag, 0, 1) != 0) {
    }
    __threadfence();
    message += 1;
    __threadfence();
    *const_cast<volatile int*>(&flag) = 0;
  }
  out[I] = 1;
}
KERNEL(a_ticket_lock, 3, 32) {
  if (T == 0) {
    const unsigned mine = atomicAdd(&counters[0], 1);
    while (atomicAdd(&counters[1], 0) != mine) {
    }
    __threadfence();
    message += 2;
    __threadfence();
    atomicAdd(&counters[1], 1);
  }
  out[I] = 1;
}
KERNEL(a_barrier_in_place_of_the_acquire_fence, 4, 64) {
  __shared__ bool is_last;
  parts[blockIdx.x * 64 + T] = T;
  __threadfence();
  __syncthreads();
  if (T == 0) is_last = atomicAdd(&counters[0], 1) == gridDim.x - 1;
  __syncthreads();
  int sum = 0;
  for (int b = 0; is_last && b < gridDim.x; ++b) sum += parts[b * 64 + T];
  out[I] = !is_last || sum == 4 * T;
}
KERNEL(volatile_parts_as_in_the_guide, 4, 32) {
  volatile int* result = parts;
  __shared__ bool is_last;
  if (T == 0) {
    result[blockIdx.x] = 3;
    __threadfence();
    is_last = atomicInc(&counters[0], gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  int sum = 0;
  for (int b = 0; is_last && b < gridDim.x; ++b) sum += result[b];
  out[I] = !is_last || sum == 12;
}
KERNEL(the_last_block_resets_the_counter, 4, 32) {
  __shared__ bool is_last;
  __threadfence();
  if (T == 0) is_last = atomicAdd(&counters[0], 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last && T == 0) counters[0] = 0;
  out[I] = 1;
}
KERNEL(a_message_passed_on, 1, 96) {
  if (T == 0) {
    message = 9;
    __threadfence();
    atomicExch(&counters[0], 1u);
  } else if (T == 32) {
    while (atomicAdd(&counters[0], 0) == 0) {
    }
    __threadfence();
    atomicExch(&counters[1], 1u);
  }
  int got = 9;
  if (T == 64) {
    while (atomicAdd(&counters[1], 0) == 0) {
    }
    __threadfence();
    got = message;
  }
  out[I] = got == 9;
}
KERNEL(atomics_then_a_barrier_then_a_plain_read, 1, 128) {
  __shared__ int count;
  if (T == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[I] = count == 128;
}

// --- compare and swap ----------------------------------------------------------------------------------

__device__ double sum_of_doubles(double* address, double value) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
KERNEL(the_guides_atomic_add_of_doubles, 2, 64) {
  sum_of_doubles(&real, 0.5);
  out[I] = 1;
}
KERNEL(a_minimum_that_gives_up_early, 2, 64) {
  unsigned long long* bits = reinterpret_cast<unsigned long long*>(&real);
  const double mine = -1.0 * (I * 37 % 128);
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    if (__longlong_as_double(seen) <= mine) break;
    old = atomicCAS(bits, seen, __double_as_longlong(mine));
  } while (seen != old);
  out[I] = 1;
}
KERNEL(a_maximum_of_floats_in_shared_memory, 1, 64) {
  __shared__ int largest;
  if (T == 0) largest = __float_as_int(-1.0f);
  __syncthreads();
  int old = largest;
  while (__int_as_float(old) < T) {
    const int seen = atomicCAS(&largest, old, __float_as_int(T));
    if (seen == old) break;
    old = seen;
  }
  __syncthreads();
  out[I] = __int_as_float(largest) == 63;
}

// --- threads that have returned, lanes at several lines ------------------------------------------------

KERNEL(a_return_before_a_barrier, 1, 64) {
  __shared__ int s[64];
  out[I] = 1;
  if (T >= 50) return;
  s[T] = T;
  __syncthreads();
  out[I] = s[49 - T] == 49 - T;
}
KERNEL(a_warp_returns_before_a_count, 1, 96) {
  out[I] = 1;
  if (T >= 64) return;
  out[I] = __syncthreads_count(T % 2) == 32 && __syncthreads_and(T < 64) && !__syncthreads_or(T > 63);
}
KERNEL(one_shuffle_at_two_lines, 1, 32) {
  int got;
  if (T % 2) {
    got = __shfl_xor_sync(~0u, T, 1);
  } else {
    got = __shfl_xor_sync(~0u, T + 100, 1);
  }
  out[I] = got == (T % 2 ? T - 1 + 100 : T + 1);
}
KERNEL(one_vote_at_two_lines, 1, 32) {
  unsigned got;
  if (T < 5) {
    got = __ballot_sync(~0u, true);
  } else {
    got = __ballot_sync(~0u, T > 20);
  }
  out[I] = got == (0x1fu | 0xffe00000u);
}

// --- groups --------------------------------------------------------------------------------------------

KERNEL(a_tile_of_a_tile, 1, 64) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto tile = cg::tiled_partition<4>(warp);
  const cg::thread_block_tile<4> plain = tile;
  bool right = tile.meta_group_rank() == T % 32 / 4 && tile.meta_group_size() == 8;
  right &= plain.meta_group_rank() == T % 32 / 4 && plain.meta_group_size() == 8;
  right &= warp.meta_group_rank() == T / 32 && warp.meta_group_size() == 2;
  right &= cg::tiled_partition<2>(tile).meta_group_size() == 2 && cg::thread_rank(tile) == T % 4;
  out[I] = right;
}
KERNEL(parts_of_a_coalesced_group, 1, 32) {
  bool right = true;
  if (T % 3 == 0) {
    const auto group = cg::coalesced_threads();
    right = group.num_threads() == 11 && group.meta_group_rank() == 0 && group.meta_group_size() == 1;
    const auto tile = cg::tiled_partition(group, 4);
    right &= tile.meta_group_size() == 3 && tile.meta_group_rank() == T / 3 / 4 && tile.thread_rank() == T / 3 % 4;
    right &= tile.shfl(T, 0) == T / 12 * 12;
  }
  out[I] = right;
}
KERNEL(labels_and_matches_of_a_tile, 1, 32) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int same = 0;
  bool right = tile.match_all(3, same) == 0xff && same == 1;
  right &= tile.match_all(T, same) == 0 && same == 0;
  right &= tile.match_any(T / 2) == 3u << (T % 8 / 2 * 2);
  const auto label = cg::labeled_partition(tile, T % 3);
  right &= label.meta_group_size() == 3 && label.shfl(T, 0) % 8 == static_cast<int>(label.meta_group_rank());
  const auto half = cg::binary_partition(tile, T % 8 < 5);
  right &= half.num_threads() == (T % 8 < 5 ? 5 : 3) && half.meta_group_size() == 2;
  out[I] = right;
}
KERNEL(one_thread_for_its_group, 1, 64) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  cg::invoke_one(tile, [&] { atomicAdd(&counters[0], 1); });
  const int got = cg::invoke_one_broadcast(tile, [&] { return T; });
  out[I] = got == T / 16 * 16;
}

// --- libcu++ -------------------------------------------------------------------------------------------

KERNEL(release_and_acquire_without_fences, 2, 32) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
  if (blockIdx.x == 0 && T == 0) {
    message = 5;
    ready.store(1, cuda::memory_order_release);
  }
  const bool got = blockIdx.x == 1 && T == 0 && ready.load(cuda::memory_order_acquire);
  out[I] = got ? message == 5 : 1;
}
KERNEL(relaxed_counters, 2, 64) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(counters[0]).fetch_add(1, cuda::memory_order_relaxed);
  cuda::std::atomic_ref<double>(real).fetch_add(0.25);
  out[I] = 1;
}
KERNEL(atomic_objects_in_shared_memory, 1, 64) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> largest, bits;
  __shared__ cuda::atomic<short, cuda::thread_scope_block> small;
  if (T == 0) largest.store(-1), bits = 0, small = 0;
  __syncthreads();
  largest.fetch_max(T * 7 % 64, cuda::memory_order_relaxed);
  bits |= 1 << T % 8;
  ++small;
  __syncthreads();
  int expected = 63;
  bool right = largest == 63 && bits.load() == 0xff && small == 64;
  __syncthreads();
  if (T == 0) right &= largest.compare_exchange_strong(expected, 8) && largest.exchange(9) == 8;
  out[I] = right;
}
KERNEL(a_fence_of_libcu, 1, 64) {
  cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
  if (T == 0) {
    message = 6;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
    ready.store(1, cuda::memory_order_relaxed);
  }
  int got = 6;
  if (T == 40) {
    ready.wait(0, cuda::memory_order_relaxed);
    cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_block);
    got = message;
  }
  out[I] = got == 6;
}
KERNEL(arrays_spans_and_limits, 1, 32) {
  cuda::std::array<int, 4> values{1, 2, 3, T};
  int sum = 0;
  for (int v : cuda::std::span<const int>(values).first(3)) sum += v;
  out[I] = sum == 6 && cuda::std::numeric_limits<int>::max() == 0x7fffffff;
}

// --- asynchronous copies -------------------------------------------------------------------------------

KERNEL(a_copy_by_a_group, 1, 64) {
  __shared__ alignas(16) int s[103];
  const auto block = cg::this_thread_block();
  for (int i = T; i < 103; i += 64) parts[i] = i;
  __syncthreads();
  cg::memcpy_async(block, s, parts, sizeof s);
  cg::wait(block);
  out[I] = s[102 - T] == 102 - T && s[T] == T;
}
KERNEL(a_pipeline_of_two_stages, 1, 32) {
  __shared__ int s[2][32];
  for (int i = 0; i < 4; ++i) parts[32 * i + T] = 32 * i + T;
  auto pipe = cuda::make_pipeline();
  for (int i = 0; i < 2; ++i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&s[i][T], &parts[32 * i + T], cuda::aligned_size_t<4>(4), pipe);
    pipe.producer_commit();
  }
  bool right = true;
  for (int i = 0; i < 4; ++i) {
    pipe.consumer_wait();
    __syncwarp();
    right &= s[i % 2][31 - T] == 32 * i + 31 - T;
    __syncwarp();
    pipe.consumer_release();
    pipe.producer_acquire();
    if (i < 2) cuda::memcpy_async(&s[i % 2][T], &parts[32 * (i + 2) + T], 4, pipe);
    pipe.producer_commit();
  }
  out[I] = right;
}

// --- written bytes -------------------------------------------------------------------------------------

struct Padded { int key; char tag; };
struct Small { char tag; short count; };
struct Nested { Padded first; double value; Small last; };
KERNEL(copies_of_objects_with_padding, 1, 32) {
  __shared__ Padded a[32], b[32];
  __shared__ Small c[32];
  __shared__ Nested d[32];
  a[T].key = T, a[T].tag = 'a';
  c[T].tag = 'c', c[T].count = T;
  d[T].first.key = T, d[T].first.tag = 'd', d[T].value = 0.5 * T, d[T].last.tag = 'e', d[T].last.count = -T;
  __syncwarp();
  b[T] = a[31 - T];
  const Small small = c[31 - T];
  const Nested nested = d[31 - T];
  __syncwarp();
  const Padded again = b[31 - T];
  bool right = again.key == T && again.tag == 'a' && small.count == 31 - T && small.tag == 'c';
  right &= nested.first.key == 31 - T && nested.value == 0.5 * (31 - T) && nested.last.count == T - 31;
  out[I] = right;
}
KERNEL(a_word_written_in_parts, 1, 32) {
  __shared__ int s[32];
  short* halves = reinterpret_cast<short*>(s);
  char* bytes = reinterpret_cast<char*>(s);
  halves[2 * T] = 1, bytes[4 * T + 2] = 2, bytes[4 * T + 3] = 0;
  __syncwarp();
  out[I] = s[31 - T] == 0x20001;
}
KERNEL(parts_of_a_word_that_is_not_all_written, 1, 32) {
  __shared__ uchar4 s[32];
  s[T].x = T, s[T].y = 2;
  __syncwarp();
  out[I] = s[31 - T].x == 31 - T && s[T].y == 2;
}

// --- exact functions -----------------------------------------------------------------------------------

KERNEL(whole_and_half_numbers, 1, 32) {
  const float f = T - 16.0f, large = 1e6f + 2 * T;
  float s, c;
  sincospif(f / 2, &s, &c);
  bool right = sinpif(f) == 0 && cospif(f + 0.5f) == 0 && sinpi(1.0 * f) == 0 && cospi(f + 0.5) == 0;
  right &= sinpif(large) == 0 && cospif(large) == 1 && cospif(large + 1) == -1 && sinpif(0.5f + 2 * f) == 1;
  right &= sinpif(-0.5f) == -1 && (T % 2 ? c == 0 && s * s == 1 : s == 0 && c * c == 1);
  right &= sinpi(1e300) == 0 && cospi(1e300) == 1 && isnan(sinpif(INFINITY)) && signbit(sinpif(-0.0f));
  right &= exp2f(f) == ldexpf(1, T - 16) && log2f(exp2f(f)) == f && exp10f(2) == 100 && cbrtf(27) == 3;
  out[I] = right && fabsf(sinpif(0.3f) - 0.80901699f) < 1e-6f && fabs(cospi(0.3) - 0.58778525229247313) < 1e-15;
}

// --- scopes ----------------------------------------------------------------------------------------------

KERNEL(a_counter_for_each_block, 4, 32) {
  atomicAdd_block(&counters[blockIdx.x], 1u);
  __syncthreads();
  out[I] = counters[blockIdx.x] == 32;
}
KERNEL(a_swap_of_the_block, 2, 32) {
  if (T == 0) out[I] = atomicCAS_block(&counters[blockIdx.x], 0u, 1u) == 0u;
  if (T != 0) out[I] = 1;
}
KERNEL(a_message_with_fences_of_the_block, 2, 64) {
  int* value = parts + blockIdx.x;
  unsigned* ready = counters + blockIdx.x;
  if (T == 0) {
    *value = 3;
    __threadfence_block();
    atomicExch(ready, 1u);
  }
  if (T == 32) {
    while (atomicAdd(ready, 0u) == 0) {}
    __threadfence_block();
    out[I] = *value == 3;
  } else {
    out[I] = 1;
  }
}
KERNEL(a_fence_of_the_block_behind_one_of_the_device, 4, 32) {
  if (T == 0) {
    parts[blockIdx.x] = 1;
    __threadfence();
    __threadfence_block();
    if (atomicAdd(&counters[0], 1u) == gridDim.x - 1) {
      __threadfence();
      out[I] = parts[0] + parts[1] + parts[2] + parts[3] == 4;
      return;
    }
  }
  out[I] = 1;
}
KERNEL(a_message_of_the_block_that_is_passed_on, 2, 64) {
  cuda::atomic_ref<int, cuda::thread_scope_block> in_block(flag);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> in_device(counters[0]);
  out[I] = 1;
  if (blockIdx.x == 0 && T == 0) {
    message = 6;
    in_block.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 0 && T == 32) {
    while (in_block.load(cuda::memory_order_acquire) == 0) {}
    in_device.fetch_add(1u, cuda::memory_order_acq_rel);
  } else if (blockIdx.x == 1 && T == 0) {
    if (in_device.fetch_add(0u, cuda::memory_order_acq_rel) == 1) out[I] = message == 6;
  }
}
KERNEL(a_plain_and_an_atomic_read, 2, 32) {
  cuda::atomic_ref<int, cuda::thread_scope_device> value(parts[0]);
  out[I] = (T % 2 ? value.load(cuda::memory_order_relaxed) : parts[0]) == 0;
}
KERNEL(atomic_reads_of_narrow_scope, 2, 32) {
  cuda::atomic_ref<int, cuda::thread_scope_block> value(parts[0]);
  out[I] = value.load(cuda::memory_order_relaxed) == 0;
}

// --- forms of other engineers ---------------------------------------------------------------------------

struct Point {
  int x;
  float y;
  __device__ explicit Point(int both) : x(both), y(both) {}
};
KERNEL(objects_constructed_in_memory_of_the_block, 1, 64) {
  using Count = cuda::atomic<int, cuda::thread_scope_block>;
  __shared__ Count count;
  __shared__ alignas(Point) char room[64 * sizeof(Point)];
  if (T == 0) new (&count) Count(1);
  const Point* mine = ::new (room + T * sizeof(Point)) Point(T);
  __syncthreads();
  count += mine->x;
  __syncthreads();
  out[I] = count == 1 + 63 * 32 && reinterpret_cast<const Point*>(room)[63 - T].y == 63 - T;
}
KERNEL(a_smaller_one_without_its_header, 1, 32) { out[I] = std::min(std::max(T, 3), 20) / 3 > 0; }
__device__ float numbers[5120];
KERNEL(many_copies_on_their_way, 1, 32) {
  __shared__ float s[5120];
  for (int i = T; i < 5120; i += 32) numbers[i] = i;
  __syncthreads();
  for (int i = T; i < 5120; i += 32) __pipeline_memcpy_async(&s[i], &numbers[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[I] = s[5119 - T] == 5119 - T;
}
KERNEL(two_copies_of_the_same_bytes, 1, 32) {
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[T], &parts[T], 4);
  __pipeline_memcpy_async(&s[T], &parts[T], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[I] = s[31 - T] == 0;
}
KERNEL(active_lanes_while_the_others_wait_for_a_lock, 1, 32) {
  for (bool done = false; !done;) {
    if (atomicCAS(&flag, 0, 1) != 0) continue;
    __threadfence();
    message += cg::coalesced_threads().size();
    __threadfence();
    atomicExch(&flag, 0);
    done = true;
  }
  out[I] = 1;
}

MAIN(nvtxRangePushA(name), nvtxRangePop())
