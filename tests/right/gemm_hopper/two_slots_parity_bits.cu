// Parities as bits of one word that each role keeps; the first two chunks start before the loop, without a wait.
// ### BEGIN SOLUTION gemm_hopper.two_slots
  __shared__ alignas(128) float slots[2 * 1024];
  __shared__ hotloop::mbarrier bars[4];  // full 0, full 1, empty 0, empty 1
  const int t = threadIdx.x;
  if (t == 159) {
    for (int i = 0; i < 4; ++i) hotloop::mbarrier_init(bars + i, i < 2 ? 1 : 4);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  const float* mine = in + (size_t)blockIdx.x * steps * 1024;
  unsigned bits = 0;
  if (t >= 128) {
    if (t != 128) return;
    auto fetch = [&](int s) {
      hotloop::mbarrier_arrive_expect_tx(bars + s % 2, 4096);
      hotloop::bulk_load(slots + s % 2 * 1024, mine + s * 1024, 4096, bars + s % 2);
    };
    for (int s = 0; s < 2 && s < steps; ++s) fetch(s);
    for (int s = 2; s < steps; ++s) {
      hotloop::mbarrier_wait_parity(bars + 2 + s % 2, bits >> s % 2 & 1);
      bits ^= 1u << s % 2;
      fetch(s);
    }
    return;
  }
  float acc[8] = {0};
  for (int s = 0; s < steps; ++s) {
    hotloop::mbarrier_wait_parity(bars + s % 2, bits >> s % 2 & 1);
    bits ^= 1u << s % 2;
#pragma unroll
    for (int j = 0; j < 8; ++j) acc[j] += slots[s % 2 * 1024 + j * 128 + t];
    __syncwarp();
    if (t % 32 == 5) hotloop::mbarrier_arrive(bars + 2 + s % 2);
  }
#pragma unroll
  for (int j = 0; j < 8; ++j) out[blockIdx.x * 1024 + j * 128 + t] = acc[j];
// ### END SOLUTION
