// Wrong kernels, each chosen by its name. In front of each stands what must be found in its lines.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/atomic>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "rules.h"

namespace cg = cooperative_groups;

// race
KERNEL(no_acquire_fence, 2, 32) {
  int got = 42;
  if (blockIdx.x == 0 && T == 0) {
    message = 42;
    __threadfence();
    atomicExch(&flag, 1);
  } else if (T == 0 && atomicAdd(&flag, 0)) {
    got = message;
  }
  out[I] = got == 42;
}
// race
KERNEL(no_acquire_fence_behind_a_volatile_flag, 1, 64) {
  volatile int* ready = &flag;
  int got = 42;
  if (T == 0) {
    message = 42;
    __threadfence();
    *ready = 1;
  } else if (T == 32) {
    while (*ready == 0) {
    }
    got = message;
  }
  out[I] = got == 42;
}
// race
KERNEL(the_fence_before_the_data, 1, 64) {
  int got = 42;
  if (T == 0) {
    __threadfence();
    message = 42;
    atomicExch(&flag, 1);
  } else if (T == 32) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    got = message;
  }
  out[I] = got == 42;
}
// race
KERNEL(a_relaxed_flag_of_libcu, 1, 64) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
  int got = 42;
  if (T == 0) {
    message = 42;
    ready.store(1, cuda::memory_order_relaxed);
  } else if (T == 32) {
    while (!ready.load(cuda::memory_order_acquire)) {
    }
    got = message;
  }
  out[I] = got == 42;
}
// race
KERNEL(a_relaxed_load_of_libcu, 1, 64) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
  int got = 42;
  if (T == 0) {
    message = 42;
    ready.store(1, cuda::memory_order_release);
  } else if (T == 32) {
    while (!ready.load(cuda::memory_order_relaxed)) {
    }
    got = message;
  }
  out[I] = got == 42;
}
// race
KERNEL(a_release_that_is_no_fence, 1, 64) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(flag);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> other(counters[0]);
  int got = 42;
  if (T == 0) {
    message = 42;
    other.store(1, cuda::memory_order_release);
    ready.store(1, cuda::memory_order_relaxed);
  } else if (T == 32) {
    while (!ready.load(cuda::memory_order_acquire)) {
    }
    got = message;
  }
  out[I] = got == 42;
}
// race
KERNEL(another_flag_than_the_one_that_was_set, 1, 64) {
  int got = 42;
  if (T == 0) {
    message = 42;
    __threadfence();
    atomicExch(&flag, 1);
  } else if (T == 32) {
    atomicAdd(&counters[0], 0);
    __threadfence();
    got = message;
  }
  out[I] = got == 42 || got == 0;
}
// race
KERNEL(a_message_passed_on_without_a_fence, 1, 96) {
  int got = 9;
  if (T == 0) {
    message = 9;
    __threadfence();
    atomicExch(&counters[0], 1u);
  } else if (T == 32) {
    while (atomicAdd(&counters[0], 0) == 0) {
    }
    atomicExch(&counters[1], 1u);
  } else if (T == 64) {
    while (atomicAdd(&counters[1], 0) == 0) {
    }
    __threadfence();
    got = message;
  }
  out[I] = got == 9;
}
// race
KERNEL(a_swap_that_fails_releases_nothing, 1, 64) {
  int got = 42;
  if (T == 0) {
    message = 42;
    __threadfence();
    atomicCAS(&flag, 7, 1);
  } else if (T == 32) {
    atomicAdd(&flag, 0);
    __threadfence();
    got = message;
  }
  out[I] = got == 42 || got == 0;
}
// race
KERNEL(a_lock_without_an_acquire_fence, 3, 32) {
  if (T == 0) {
    while (atomicCAS(&flag, 0, 1) != 0) {
    }
    message += 1;
    __threadfence();
    atomicExch(&flag, 0);
  }
  out[I] = 1;
}
// race
KERNEL(the_last_warp_of_a_tree_with_volatile, 1, 64) {
  __shared__ volatile int s[64];
  s[T] = 1;
  __syncthreads();
  if (T < 32) {
    s[T] += s[T + 32];
    s[T] += s[T + 16];
    s[T] += s[T + 8];
  }
  out[I] = T != 0 || s[0] == 8;
}
// race
KERNEL(a_volatile_histogram_with_fences, 1, 64) {
  volatile int* bins = parts;
  bins[T % 4] += 1;
  __threadfence();
  bins[T % 4] += 1;
  out[I] = 1;
}
// race
KERNEL(volatile_halo_in_place, 2, 32) {
  volatile int* x = parts;
  x[I] = x[I + 1] + 1;
  out[I] = 1;
}
// race
KERNEL(a_scratch_reused_with_volatile_and_fences, 1, 64) {
  __shared__ volatile int part[2];
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    __threadfence_block();
    if (T % 32 == 0) part[T / 32] = i;
    __threadfence_block();
    __syncthreads();
    sum += part[0] + part[1];
  }
  out[I] = sum >= 0;
}
// race
KERNEL(neighbors_with_volatile_and_fences, 1, 64) {
  __shared__ volatile int s[64];
  __threadfence_block();
  s[T] = T;
  __threadfence_block();
  __syncthreads();
  const int next = s[(T + 1) % 64];
  __threadfence_block();
  s[T] = next;
  out[I] = next >= 0;
}
// race
KERNEL(a_plain_read_beside_an_atomic_sum, 1, 64) {
  atomicAdd(&message, 1);
  out[I] = message > 0;
}
// race
KERNEL(a_plain_read_beside_swaps_that_it_does_not_feed, 1, 64) {
  if (T < 32) {
    atomicCAS(&flag, 0, 1);
    out[I] = 1;
  } else {
    out[I] = flag >= 0;
  }
}
// race
KERNEL(a_sum_read_by_the_line_that_reads_for_swaps, 1, 64) {
  const auto plain = [](const unsigned* at) __attribute__((noinline)) { return *at; };
  atomicAdd(&counters[2], 1);
  unsigned old = plain(&counters[0]), expected;
  do {
    expected = old;
    old = atomicCAS(&counters[0], expected, expected + 1);
  } while (old != expected);
  out[I] = plain(&counters[2]) > 0;
}
// race
KERNEL(a_sum_read_for_a_swap_that_changes_nothing, 1, 64) {
  atomicAdd(&counters[0], 1);
  const unsigned sum = counters[0];
  atomicCAS(&counters[0], sum, sum);
  out[I] = sum > 0;
}
// race
KERNEL(a_plain_write_beside_swaps, 1, 64) {
  int old = flag;
  if (T == 5) flag = 3;
  if (T > 31) old = atomicCAS(&flag, old, 1);
  out[I] = old >= 0;
}
// race
KERNEL(a_plain_start_value_and_atomics, 1, 64) {
  __shared__ int count;
  if (T == 0) {
    count = 0;
    atomicAdd(&count, 1);
  } else if (T == 40) {
    atomicAdd(&count, 1);
  }
  out[I] = 1;
}
// divergent_warp
KERNEL(two_kinds_of_shuffle, 1, 32) {
  int got;
  if (T % 2) {
    got = __shfl_xor_sync(~0u, T, 1);
  } else {
    got = __shfl_down_sync(~0u, T, 1);
  }
  out[I] = got >= 0;
}
// divergent_warp
KERNEL(shuffles_of_two_sizes, 1, 32) {
  double got;
  if (T % 2) {
    got = __shfl_xor_sync(~0u, 1.0 * T, 1);
  } else {
    got = __shfl_xor_sync(~0u, T, 1);
  }
  out[I] = got == got;
}
// divergent_warp
KERNEL(two_kinds_of_vote, 1, 32) {
  int got;
  if (T % 2) {
    got = __any_sync(~0u, T);
  } else {
    got = __ballot_sync(~0u, 1) != 0;
  }
  out[I] = got;
}
// divergent_barrier
KERNEL(a_barrier_at_two_lines, 1, 64) {
  if (T < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
  out[I] = 1;
}
// uninitialized_shared
KERNEL(a_return_that_leaves_a_tile_unwritten, 1, 64) {
  __shared__ int s[64];
  out[I] = 1;
  if (T >= 50) return;
  s[T] = T;
  __syncthreads();
  out[I] = s[63 - T] == 63 - T || T < 14;
}
// uninitialized_shared
KERNEL(one_byte_of_four, 1, 32) {
  __shared__ int s[32];
  reinterpret_cast<char*>(s)[4 * T] = 1;
  __syncwarp();
  out[I] = s[31 - T] != 3;
}
// uninitialized_global
KERNEL(three_bytes_of_four, 1, 32) {
  char* bytes = reinterpret_cast<char*>(out);
  for (int i = 0; i < 3; ++i) bytes[4 * T + i] = 1;
  out[I] = out[I] != 0;
}
// uninitialized_shared
KERNEL(one_half_of_two, 1, 32) {
  __shared__ unsigned s[32];
  reinterpret_cast<unsigned short*>(s)[2 * T + 1] = 1;
  __syncwarp();
  out[I] = s[31 - T] != 3;
}
// uninitialized_shared
KERNEL(half_of_a_double, 1, 32) {
  __shared__ double s[32];
  reinterpret_cast<int*>(s)[2 * T] = 1;
  __syncwarp();
  out[I] = s[31 - T] != 3;
}
// uninitialized_shared
KERNEL(three_of_four_floats, 1, 32) {
  __shared__ float4 s[32];
  s[T].x = s[T].y = s[T].z = 1;
  __syncwarp();
  const float4 v = s[31 - T];
  out[I] = v.x + v.y + v.z == 3;
}
struct Padded { int key; char tag; };
// uninitialized_shared
KERNEL(a_member_that_nobody_wrote, 1, 32) {
  __shared__ Padded s[32];
  s[T].key = 1;
  __syncwarp();
  const Padded v = s[31 - T];
  out[I] = v.key + v.tag != 0;
}
__constant__ int table[32];
// out_of_bounds
KERNEL(a_write_to_a_constant, 1, 32) {
  if (T == 0) table[3] = 1;
  out[I] = 1;
}
__device__ __noinline__ void set(int* place, int value) { *place = value; }
// out_of_bounds: set
KERNEL(a_write_to_a_constant_through_a_pointer, 1, 32) {
  set(table + T, 1);
  out[I] = table[T] == 1;
}
// out_of_bounds
KERNEL(an_atomic_on_a_constant, 1, 32) {
  atomicAdd(&table[T], 1);
  out[I] = 1;
}
// out_of_bounds
KERNEL(a_constant_through_memcpy, 1, 32) {
  const int source[4] = {T, n, 1, 2};
  memcpy(table + 4 * n, source, sizeof source);
  out[I] = 1;
}
// race
KERNEL(a_copy_by_a_group_without_a_wait, 1, 32) {
  __shared__ int s[32];
  parts[T] = T;
  __syncthreads();
  cg::memcpy_async(cg::this_thread_block(), &s[T], &parts[T], 0);
  cg::memcpy_async(cg::this_thread_block(), s, parts, sizeof s);
  out[I] = s[T] != -5;
}
// race
KERNEL(a_pipeline_without_a_barrier, 1, 32) {
  __shared__ int s[32];
  parts[T] = T;
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&s[T], &parts[T], 4, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  out[I] = s[31 - T] != -5;
}

// race
KERNEL(an_atomic_of_the_block_between_blocks, 4, 32) {
  const unsigned before = atomicAdd_block(&counters[0], 1u);
  out[I] = before < 128;
}
// race
KERNEL(one_block_adds_for_itself, 2, 32) {
  if (blockIdx.x == 0) atomicAdd(&counters[0], 1u);
  if (blockIdx.x == 1) atomicAdd_block(&counters[0], 1u);
  out[I] = 1;
}
// race
KERNEL(a_reference_of_the_block_between_blocks, 2, 1) {
  cuda::atomic_ref<int, cuda::thread_scope_block> sum(flag);
  sum.fetch_add(1, cuda::memory_order_relaxed);
  out[I] = 1;
}
// race
KERNEL(a_load_of_the_block_of_what_another_block_adds, 2, 1) {
  if (blockIdx.x == 0) cuda::atomic_ref<int, cuda::thread_scope_device>(flag).fetch_add(1, cuda::memory_order_relaxed);
  if (blockIdx.x == 1) out[I] = cuda::atomic_ref<int, cuda::thread_scope_block>(flag).load(cuda::memory_order_relaxed) < 5;
  else out[I] = 1;
}
// race
KERNEL(a_fence_of_the_block_between_blocks, 4, 32) {
  out[I] = 1;
  if (T == 0) {
    parts[blockIdx.x] = 1;
    __threadfence_block();
    if (atomicAdd(&counters[0], 1u) == gridDim.x - 1) {
      __threadfence();
      out[I] = parts[0] + parts[1] + parts[2] + parts[3] == 4;
    }
  }
}
// race
KERNEL(a_fence_of_the_block_before_a_barrier, 4, 32) {
  __shared__ bool is_last;
  parts[I] = 1;
  __threadfence_block();
  __syncthreads();
  if (T == 0) is_last = atomicAdd(&counters[0], 1u) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  out[I] = !is_last || parts[T] == 1;
}
// race
KERNEL(a_fence_of_libcu_with_the_scope_of_the_block, 4, 32) {
  out[I] = 1;
  if (T == 0) {
    parts[blockIdx.x] = 1;
    cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_block);
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(counters[0]);
    if (count.fetch_add(1u, cuda::memory_order_relaxed) == gridDim.x - 1) {
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      out[I] = parts[0] + parts[1] + parts[2] + parts[3] == 4;
    }
  }
}
// in_flight
KERNEL(the_source_of_a_copy_that_others_change, 1, 64) {
  __shared__ int s[64];
  __pipeline_memcpy_async(&s[T], &parts[63 - T], 4);
  __pipeline_commit();
  __syncthreads();
  parts[T] = 7;
  __syncthreads();
  __pipeline_wait_prior(0);
  out[I] = 1;
}
// in_flight
KERNEL(the_source_of_a_copy_that_its_thread_changes, 1, 32) {
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[T], &parts[T], 4);
  __pipeline_commit();
  parts[T] += 1;
  __pipeline_wait_prior(0);
  out[I] = 1;
}
// in_flight
KERNEL(the_destination_of_a_copy_that_its_thread_changes, 1, 32) {
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[T], &parts[T], 4);
  __pipeline_commit();
  s[T] = 7;
  __pipeline_wait_prior(0);
  out[I] = 1;
}
// in_flight
KERNEL(two_copies_to_one_place, 1, 32) {
  __shared__ int s[32];
  parts[T + 32] = 1;
  __pipeline_memcpy_async(&s[T], &parts[T], 4);
  __pipeline_memcpy_async(&s[T], &parts[T + 32], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[I] = 1;
}
// bad_argument
KERNEL(a_copy_of_two_bytes, 1, 32) {
  __shared__ short s[32];
  __pipeline_memcpy_async(&s[T], &parts[T], 2);
  out[I] = 1;
}
// bad_argument
KERNEL(a_copy_within_shared_memory, 1, 32) {
  __shared__ int s[64];
  s[T] = T;
  __pipeline_memcpy_async(&s[T + 32], &s[T], 4);
  out[I] = 1;
}

MAIN(, )
