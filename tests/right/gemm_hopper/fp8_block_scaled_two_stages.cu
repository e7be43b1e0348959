// The second warp group multiplies, two stages, scales are loaded behind the products and applied by fmaf.
// ### BEGIN SOLUTION gemm_hopper.fp8_block_scaled
  extern __shared__ __align__(1024) unsigned char smem[];
  __shared__ hotloop::mbarrier full[2], empty[2];
  const int t = threadIdx.x, steps = k / 128;
  constexpr int kA = 64 * 128, kStage = kA + 128 * 128;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) hotloop::mbarrier_init(full + s, 1), hotloop::mbarrier_init(empty + s, 4);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (t < 128) {
    if (t < 32 && hotloop::elect_sync()) {
      for (int i = 0; i < steps; ++i) {
        const int s = i & 1;
        if (i >= 2) hotloop::mbarrier_wait_parity(empty + s, (i >> 1) - 1 & 1);
        hotloop::mbarrier_arrive_expect_tx(full + s, kStage);
        hotloop::tensor_load(smem + s * kStage, &a, full + s, i * 128, blockIdx.x * 64);
        hotloop::tensor_load(smem + s * kStage + kA, &b, full + s, i * 128, blockIdx.y * 128);
      }
    }
    return;
  }
  float part[64], sum[64];
  for (float& x : sum) x = 0;
  const int row = blockIdx.x * 64 + (t - 128) / 32 * 16 + t % 32 / 4;
  for (int i = 0; i < steps; ++i) {
    const unsigned char* at = smem + (i & 1) * kStage;
    hotloop::mbarrier_wait_parity(full + (i & 1), i >> 1 & 1);
    hotloop::wgmma_fence();
    for (int byte = 0; byte < 128; byte += 32) {
      hotloop::wgmma<__nv_fp8_e4m3>(part, hotloop::wgmma_descriptor(at + byte, 0, 1024, hotloop::swizzle::bytes_128),
                                    hotloop::wgmma_descriptor(at + kA + byte, 0, 1024, hotloop::swizzle::bytes_128), byte != 0);
    }
    hotloop::wgmma_commit_group();
    const float sb = b_scales[blockIdx.y * steps + i], upper = a_scales[i * m + row], lower = a_scales[i * m + row + 8];
    hotloop::wgmma_wait_group<0>(part);
    if (t % 32 == 0) hotloop::mbarrier_arrive(empty + (i & 1));
    for (int j = 0; j < 64; ++j) sum[j] = fmaf(part[j], sb * (j & 2 ? lower : upper), sum[j]);
  }
  float* to = c + (size_t)row * n + blockIdx.y * 128 + t % 4 * 2;
  for (int j = 0; j < 64; j += 2) {
    float* const at = to + (j & 2 ? 8 * (size_t)n : 0) + j / 4 * 8;
    at[0] = sum[j];
    at[1] = sum[j + 1];
  }
// ### END SOLUTION
