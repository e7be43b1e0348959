// Four kinds of warps, each of which elects its lane in a way of its own: two load a half of each slot, four compute, one stores. Names are
// those of cuda::ptx. A result goes to the warp that stores by an mbarrier of its own, and comes back when its store has read it.
#include "common.h"

namespace ptx {
using barrier = hotloop::mbarrier;
__device__ void mbarrier_init(barrier* b, unsigned count) { hotloop::mbarrier_init(b, count); }
__device__ void mbarrier_arrive(barrier* b) { hotloop::mbarrier_arrive(b); }  // 8: mbarrier
__device__ void mbarrier_arrive_expect_tx(barrier* b, unsigned bytes) { hotloop::mbarrier_arrive_expect_tx(b, bytes); }  // 2: mbarrier 9: mbarrier
__device__ bool mbarrier_try_wait_parity(barrier* b, unsigned parity) { return hotloop::mbarrier_try_wait_parity(b, parity); }  // 12: hang
__device__ void cp_async_bulk(void* to, const void* from, unsigned bytes, barrier* b) { hotloop::bulk_load(to, from, bytes, b); }  // 1: tx_count 3: race 10: race
__device__ void cp_async_bulk(void* to, const void* from, unsigned bytes) { hotloop::bulk_store(to, from, bytes); }  // 4: fence 7: in_flight 11: race
}  // namespace ptx

constexpr int kHalf = 128, kSlots = 3, kResults = 2;
enum Role { kLoadsA, kLoadsB, kStores, kComputes };

__device__ bool is_elected_by_mask() { return threadIdx.x % 32 == __ffs(__activemask()) - 1u; }
__device__ bool is_elected_by_vote() { return __ffs(__ballot_sync(0xffffffffu, true)) - 1u == threadIdx.x % 32; }

__global__ void weighted(const float* a, const float* b, float* out, int steps) {
  __shared__ alignas(128) float in[kSlots][2][kHalf], result[kResults][kHalf];
  __shared__ ptx::barrier full[kSlots], empty[kSlots], ready[kResults], stored[kResults];
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0), t = threadIdx.x;
  const Role role = warp < 3 ? static_cast<Role>(warp) : kComputes;
  if (t == 32) {
    for (int s = 0; s < kSlots; ++s) ptx::mbarrier_init(&full[s], OR(2, 2, 1)), ptx::mbarrier_init(&empty[s], 4);
    for (int s = 0; s < kResults; ++s) ptx::mbarrier_init(&ready[s], kHalf), ptx::mbarrier_init(&stored[s], 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  const auto wait = [](ptx::barrier* at, unsigned parity) {
    while (!ptx::mbarrier_try_wait_parity(at, parity)) {
    }
  };
  switch (role) {
    case kLoadsA:
    case kLoadsB: {
      const bool is_a = role == kLoadsA;
      const bool is_one = is_a ? hotloop::elect_sync() : OR(9, is_elected_by_mask(), t % 16 == 0);
      if (!is_one) return;
      for (int i = 0; i < steps; ++i) {
        const int s = i % kSlots;
        if (FAULT != 3 || is_a) wait(&empty[s], (i / kSlots & 1) ^ 1);
        if (FAULT == 1 && !is_a) ptx::mbarrier_arrive(&full[s]);
        else ptx::mbarrier_arrive_expect_tx(&full[s], sizeof in[0][0]);
        ptx::cp_async_bulk(in[s][!is_a], (is_a ? a : b) + i * kHalf, sizeof in[0][0], &full[s]);
      }
      return;
    }
    case kStores: {
      if (!is_elected_by_vote()) return;
      for (int i = 0; i < steps; ++i) {
        if (FAULT == 4) hotloop::fence_proxy_async();
        wait(&ready[i % kResults], i / kResults & 1);
        ptx::cp_async_bulk(out + i * kHalf, result[i % kResults], sizeof result[0]);
        hotloop::bulk_commit_group();
        // All stores but the newest have read their results: the one before goes back.
        if (FAULT != 5) hotloop::bulk_wait_group_read<1>();
        const int back = OR(6, i - 1, i);
        if (back >= 0) ptx::mbarrier_arrive(&stored[back % kResults]);
      }
      if (FAULT != 7 && FAULT != 5) hotloop::bulk_wait_group_read<0>();
      return;
    }
    default: {
      const int c = t - 96, lane = t % 32;
      for (int i = 0; i < steps; ++i) {
        const int s = i % kSlots, r = i % kResults;
        if (FAULT != 10 || lane == 0) wait(&full[s], i / kSlots & 1);
        const float value = in[s][0][c] + 2 * in[s][1][c];  // 3: race 10: race
        __syncwarp();
        if (lane == (FAULT == 8 && i > 2 ? lane : 31)) ptx::mbarrier_arrive(&empty[s]);
        if (FAULT != 11) wait(&stored[r], (i / kResults & 1) ^ OR(12, 1, 0));
        result[r][c] = value;  // 5: race 6: race 11: race
        if (FAULT != 4) hotloop::fence_proxy_async();
        ptx::mbarrier_arrive(&ready[r]);
      }
    }
  }
}

int main() {
  constexpr int kSteps = 9;
  const auto a = numbers<float>(kHalf * kSteps, 5), b = numbers<float>(kHalf * kSteps, 7);
  float* const c = on_device(a);
  weighted<<<1, 96 + kHalf>>>(on_device(a), on_device(b), c, kSteps);
  CHECK_LAUNCH();
  const auto out = on_host(c, a.size());
  bool is_right = true;
  for (size_t i = 0; i < a.size(); ++i) is_right &= out[i] == a[i] + 2 * b[i];
  return verdict(is_right);
}
