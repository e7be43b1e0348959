// Legal and rare: one lane waits for its warp, halves of a slot on barriers of their own, bytes expected by another thread than the one that
// copies, a group that meets before one thread arrives for all, and barriers that are initialized a second time with other counts.
#include "common.h"

constexpr int kHalf = 128, kSlots = 2, kThreads = 128;

__device__ hotloop::mbarrier* of(hotloop::mbarrier* all, int slot, int half) { return all + 2 * slot + half; }

__global__ void scaled(const float* in, float* out, int steps) {
  __shared__ alignas(128) float slots[kSlots][2][kHalf];
  __shared__ hotloop::mbarrier full[2 * kSlots], empty[kSlots];
  const int t = threadIdx.x, lane = t % 32;
  for (int pass = 0; pass < 2; ++pass) {
    // The first pass: a thread expects, another one copies. The second: one does both.
    if (t == 0) {
      for (int i = 0; i < 2 * kSlots; ++i) {
        if (pass == 1 && FAULT != 1) hotloop::mbarrier_inval(&full[i]);
        hotloop::mbarrier_init(&full[i], OR(2, 2 - pass, 2));  // 1: mbarrier
      }
      for (int i = 0; i < kSlots; ++i) {
        if (pass == 1) hotloop::mbarrier_inval(&empty[i]);
        hotloop::mbarrier_init(&empty[i], pass == 0 ? 1 : kThreads);
      }
      if (FAULT != 3 || pass == 0) hotloop::fence_mbarrier_init();
    }
    if (FAULT != 4 || pass == 0) __syncthreads();
    for (int i = 0; i < steps; ++i) {
      const int s = i % kSlots;
      const unsigned round = i / kSlots;
      if (t == 96) {
        hotloop::mbarrier_wait_parity(&empty[s], (round & 1) ^ 1);  // 4: race 4: mbarrier 7: mbarrier
        for (int half = 0; half < 2; ++half) {
          if (pass == 0) hotloop::mbarrier_arrive(of(full, s, half));
          else hotloop::mbarrier_arrive_expect_tx(of(full, s, half), sizeof slots[0][0]);  // 2: mbarrier
          hotloop::bulk_load(slots[s][half], in + (2 * i + half) * kHalf, sizeof slots[0][0], of(full, s, half));  // 3: fence 4: race 7: race
        }
      }
      if (pass == 0 && t == 32 && (FAULT != 5 || i != 1)) {
        for (int half = 0; half < 2; ++half) hotloop::mbarrier_arrive_expect_tx(of(full, s, half), sizeof slots[0][0]);
      }
      __syncwarp();
      if (lane == 0) {
        hotloop::mbarrier_wait_parity(of(full, s, 0), round & 1);  // 2: hang 4: race 4: mbarrier 5: hang
        if (FAULT != 6) hotloop::mbarrier_wait_parity(of(full, s, 1), round & 1);
      }
      if (FAULT != 8) __syncwarp();
      const float value = slots[s][0][t] * (pass + 1) + slots[s][1][kHalf - 1 - t];  // 6: race 7: race 8: race
      if (pass == 0) {
        if (FAULT != 7) hotloop::barrier_sync(5, kThreads);
        if (t == 64) hotloop::mbarrier_arrive(&empty[s]);
      } else {
        hotloop::mbarrier_arrive(&empty[s]);
      }
      out[(pass * steps + i) * kHalf + t] = value;
    }
    // Nobody waits or arrives any more when the barriers are initialized again.
    __syncthreads();
  }
}

int main() {
  constexpr int kSteps = 7;
  const auto in = numbers<float>(2 * kSteps * kHalf, 5);
  float *a = on_device(in), *b = on_device(in);
  scaled<<<1, kThreads>>>(a, b, kSteps);
  CHECK_LAUNCH();
  const auto out = on_host(b, in.size());
  bool is_right = true;
  for (int i = 0; i < 2 * kSteps * kHalf; ++i) {
    const int pass = i / (kSteps * kHalf), step = i / kHalf % kSteps, t = i % kHalf;
    is_right &= out[i] == in[2 * step * kHalf + t] * (pass + 1) + in[(2 * step + 2) * kHalf - 1 - t];
  }
  return verdict(is_right);
}
