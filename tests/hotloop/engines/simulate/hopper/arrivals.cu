// Arrivals and waits that are one another's: 256 threads use an array in two halves, each phase of an mbarrier for one exchange.
#include "common.h"

constexpr int kThreads = 256, kRounds = 6;

__global__ void exchange(const float* in, float* out) {
  __shared__ float values[2][kThreads];
  __shared__ hotloop::mbarrier full;
  const int t = threadIdx.x;
  if (t == 0) hotloop::mbarrier_init(&full, OR(1, OR(2, OR(5, kThreads, kThreads - 1), 2), kThreads / 2));
  __syncthreads();
  for (int i = 0; i < OR(2, kRounds, 1); ++i) {
    values[i % 2][t] = in[i * kThreads + t];
    if (FAULT == 3 && t == 7 && i == 2) hotloop::mbarrier_arrive(&full);
    // 2: 254 arrivals end 127 phases, an odd number: the wait goes on.
    if ((FAULT != 2 || t > 1) && (FAULT != 5 || t != 40)) hotloop::mbarrier_arrive(&full);  // 1: mbarrier 2: mbarrier 3: mbarrier 4: mbarrier
    if (FAULT == 4 && t >= kThreads / 2 && i < 2) continue;
    if (FAULT != 5 || t != 40 || i == 3) hotloop::mbarrier_wait_parity(&full, i & 1);  // 2: mbarrier 5: mbarrier
    out[i * kThreads + t] = values[i % 2][kThreads - 1 - t];  // 2: race 5: race
  }
}

int main() {
  const auto in = numbers<float>(kThreads * kRounds, 5);
  float *a = on_device(in), *b = on_device(in);
  exchange<<<1, kThreads>>>(a, b);
  CHECK_LAUNCH();
  const auto out = on_host(b, in.size());
  bool is_right = true;
  for (size_t i = 0; i < in.size(); ++i) is_right &= out[i] == in[i / kThreads * kThreads + kThreads - 1 - i % kThreads];
  return verdict(is_right);
}
