// One bulk copy on one mbarrier, which all threads wait for.
#include "common.h"

constexpr int kCount = 256;

__global__ void reverse(const float* in, float* out) {
  __shared__ alignas(128) float tile[kCount + 64];
  __shared__ hotloop::mbarrier done;
  const int t = threadIdx.x;
  if (OR(1, true, false) && OR(2, t == 0, true)) {
    hotloop::mbarrier_init(&done, OR(3, 1, 2));  // 2: mbarrier
    if (FAULT != 4) hotloop::fence_mbarrier_init();
  }
  if (FAULT != 5) __syncthreads();
  if (t == 0) {
    hotloop::mbarrier_arrive_expect_tx(&done, 4 * OR(6, OR(7, kCount, 2 * kCount), kCount / 2));  // 1: mbarrier 7: hang
    const int from = OR(8, OR(9, 0, 3), 128), to = OR(10, 0, 1), bytes = OR(11, 4 * kCount, 4 * kCount - 8);
    hotloop::bulk_load(tile + to, in + from, bytes, &done);  // 4: fence 6: tx_count 8: out_of_bounds 9: bad_argument 10: bad_argument 11: bad_argument 12: in_flight
    if (FAULT == 13) hotloop::bulk_load(tile + 128, in, 512, &done);  // 13: race
  }
  if (FAULT != 12) hotloop::mbarrier_wait_parity(&done, OR(14, 0, 1));  // 3: hang 5: race
  if (FAULT == 15) reinterpret_cast<volatile float*>(&done)[0] = 1;  // 15: mbarrier
  out[t] = tile[kCount - 1 - t];  // 14: race
}

int main() {
  const auto in = numbers<float>(kCount, 5);
  float *a = on_device(in), *b = on_device(in);
  reverse<<<1, kCount>>>(a, b);
  CHECK_LAUNCH();
  const auto out = on_host(b, kCount);
  bool is_right = true;
  for (int i = 0; i < kCount; ++i) is_right &= out[i] == in[kCount - 1 - i];
  return verdict(is_right);
}
