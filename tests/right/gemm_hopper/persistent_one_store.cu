// Tiles in the order of rows, one thread stores all four boxes behind a barrier of both groups, no product is left in flight.
// ### BEGIN SOLUTION gemm_hopper.persistent
  extern __shared__ __align__(1024) bf16 arena[];
  bf16* const result = arena + 4 * 16384;
  __shared__ hotloop::mbarrier full[4], empty[4];
  const int t = threadIdx.x, across = n / 128, tiles = m / 128 * across;
  if (t == 0) {
    for (int s = 0; s < 4; ++s) hotloop::mbarrier_init(&full[s], 1), hotloop::mbarrier_init(&empty[s], 8);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  const auto next = [&] {
    if (++stage == 4) stage = 0, phase ^= 1;
  };
  if (t >= 256) {
    hotloop::setmaxnreg_dec<24>();
    if (t != 256) return;
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      for (int i = 0; i < k; i += 64, next()) {
        hotloop::mbarrier_wait_parity(&empty[stage], phase ^ 1);
        hotloop::mbarrier_arrive_expect_tx(&full[stage], 32768);
        hotloop::tensor_load(arena + stage * 16384, &a, &full[stage], i, tile / across * 128);
        hotloop::tensor_load(arena + stage * 16384 + 8192, &b, &full[stage], i, tile % across * 128);
      }
    }
    return;
  }
  hotloop::setmaxnreg_inc<240>();
  float d[64];
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    for (int i = 0; i < k; i += 64, next()) {
      hotloop::mbarrier_wait_parity(&full[stage], phase);
      const bf16* const at = arena + stage * 16384;
      hotloop::wgmma_fence();
      for (int kk = 0; kk < 64; kk += 16) {
        hotloop::wgmma<bf16>(d, hotloop::wgmma_descriptor(at + t / 128 * 4096 + kk, 0, 1024, hotloop::swizzle::bytes_128),
                             hotloop::wgmma_descriptor(at + 8192 + kk, 0, 1024, hotloop::swizzle::bytes_128), i + kk > 0);
      }
      hotloop::wgmma_commit_group();
      hotloop::wgmma_wait_group<0>(d);
      if (t % 32 == 0) hotloop::mbarrier_arrive(&empty[stage]);
    }
    if (t == 0) hotloop::bulk_wait_group_read<0>();
    hotloop::barrier_sync(1, 256);
    // Boxes of 64 × 64: rows 0 to 63 left and right, then rows 64 to 127.
    for (int i = 0; i < 64; i += 2) {
      const int row = t / 32 % 4 * 16 + t % 32 / 4 + i % 4 * 4, chunk = i / 4 % 8, box = t / 128 * 2 + i / 32;
      __nv_bfloat162* const to = reinterpret_cast<__nv_bfloat162*>(result + box * 4096 + row * 64 + (chunk ^ (row & 7)) * 8 + t % 4 * 2);
      *to = __float22bfloat162_rn(make_float2(d[i], d[i + 1]));
    }
    hotloop::fence_proxy_async();
    hotloop::barrier_sync(2, 256);
    if (t == 0) {
      for (int box = 0; box < 4; ++box) {
        hotloop::tensor_store(&c, result + box * 4096, tile % across * 128 + box % 2 * 64, tile / across * 128 + box / 2 * 64);
      }
      hotloop::bulk_commit_group();
    }
  }
  if (t == 0) hotloop::bulk_wait_group<0>();
// ### END SOLUTION
