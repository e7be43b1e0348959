// Two stages filled one step ahead by thread 0, a barrier for each operand of a stage, sums zeroed and always added to.
// ### BEGIN SOLUTION gemm_hopper.wgmma_tile
  __shared__ alignas(1024) bf16 sa[2][4096], sb[2][4096];
  __shared__ hotloop::mbarrier ba[2], bb[2];
  const int t = threadIdx.x, steps = k / 64;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) hotloop::mbarrier_init(&ba[s], 1), hotloop::mbarrier_init(&bb[s], 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  auto fetch = [&](int i) {
    hotloop::mbarrier_arrive_expect_tx(&ba[i & 1], 8192);
    hotloop::tensor_load(sa[i & 1], &a, &ba[i & 1], 64 * i, 64 * blockIdx.x);
    hotloop::mbarrier_arrive_expect_tx(&bb[i & 1], 8192);
    hotloop::tensor_load(sb[i & 1], &b, &bb[i & 1], 64 * i, 64 * blockIdx.y);
  };
  float d[32];
  for (float& x : d) x = 0.0f;
  if (t == 0) fetch(0);
  for (int i = 0; i < steps; ++i) {
    if (t == 0 && i + 1 < steps) fetch(i + 1);
    hotloop::mbarrier_wait_parity(&bb[i & 1], i >> 1 & 1);
    hotloop::mbarrier_wait_parity(&ba[i & 1], i >> 1 & 1);
    const uint64_t da = hotloop::wgmma_descriptor(sa[i & 1], 16, 1024, hotloop::swizzle::bytes_128);
    const uint64_t db = hotloop::wgmma_descriptor(sb[i & 1], 16, 1024, hotloop::swizzle::bytes_128);
    hotloop::wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < 4; ++kk) hotloop::wgmma<bf16>(d, da + 2 * kk, db + 2 * kk, true);
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(d);
    __syncthreads();
  }
  const int w = t / 32, g = t % 32 / 4, q = t % 4;
  for (int i = 0; i < 32; i += 2) {
    float2* to = reinterpret_cast<float2*>(&c[(size_t)(64 * blockIdx.x + 16 * w + g + (i & 2) * 4) * n + 64 * blockIdx.y + i / 4 * 8 + 2 * q]);
    *to = make_float2(d[i], d[i + 1]);
  }
// ### END SOLUTION
