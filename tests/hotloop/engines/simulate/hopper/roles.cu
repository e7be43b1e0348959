// Two warps fill two buffers and two warps use them, by named barriers; and a loop that only tests an mbarrier.
#include "common.h"

constexpr int kRounds = 6;

__global__ void pass_on(const float* in, float* out) {
  __shared__ float buffers[2][64];
  __shared__ hotloop::mbarrier done;
  const int t = threadIdx.x;
  if (t == 0) hotloop::mbarrier_init(&done, OR(1, 64, 65));
  __syncthreads();
  if (t < 64) {
    for (int i = 0; i < kRounds; ++i) {
      // 3 and 4: a buffer is empty; 1 and 2: it is full.
      if (i >= 2 && FAULT != 2) hotloop::barrier_sync(3 + i % 2, 128);
      buffers[i % 2][t] = in[i * 64 + t];  // 2: race
      if (FAULT != 4) hotloop::barrier_arrive(1 + OR(3, i % 2, 0), OR(5, OR(6, 128, i == 3 ? 64 : 128), 96));  // 2: divergent_barrier 3: divergent_barrier 5: divergent_barrier 6: divergent_barrier
    }
    hotloop::mbarrier_arrive(&done);
    return;
  }
  for (int i = 0; i < kRounds; ++i) {
    hotloop::barrier_sync(1 + OR(3, i % 2, 0), 128);  // 4: hang 5: divergent_barrier 6: divergent_barrier
    out[i * 64 + t - 64] = buffers[i % 2][127 - t];  // 2: race
    if (i + 2 < kRounds && FAULT != 2) hotloop::barrier_arrive(3 + i % 2, OR(7, 128, 100));  // 7: bad_argument
  }
  while (!hotloop::mbarrier_test_wait_parity(&done, 0)) {  // 1: hang
  }
}

int main() {
  const auto in = numbers<float>(64 * kRounds, 5);
  float *a = on_device(in), *b = on_device(in);
  pass_on<<<1, 128>>>(a, b);
  CHECK_LAUNCH();
  const auto out = on_host(b, in.size());
  bool is_right = true;
  for (size_t i = 0; i < in.size(); ++i) is_right &= out[i] == in[i / 64 * 64 + 63 - i % 64];
  return verdict(is_right);
}
