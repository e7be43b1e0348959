// A ring of three stages of 32 that is filled two steps ahead; every iteration commits, also an empty group.
// ### BEGIN SOLUTION gemm_tensor_cores.pipelined
  constexpr int kStages = 3, kStep = 32;
  __shared__ __align__(16) bf16 sa[kStages][64][kStep + 8], sb[kStages][kStep][64 + 8];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const int wr = (warp >> 1) * 32, wc = (warp & 1) * 32;
  const int steps = k / kStep;
  auto fetch = [&](int step) {
    if (step < steps) {
      const int s = step % kStages;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int e = t + i * 128;
        __pipeline_memcpy_async(&sa[s][e / 4][e % 4 * 8], &a[(size_t)(blockIdx.x * 64 + e / 4) * k + step * kStep + e % 4 * 8], 16);
        __pipeline_memcpy_async(&sb[s][e / 8][e % 8 * 8], &b[(size_t)(step * kStep + e / 8) * n + blockIdx.y * 64 + e % 8 * 8], 16);
      }
    }
    __pipeline_commit();
  };
  fetch(0);
  fetch(1);
  float d[2][4][4] = {};
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(1);
    __syncthreads();
    fetch(step + 2);
    const int s = step % kStages;
    for (int kk = 0; kk < kStep; kk += 16) {
      uint32_t fa[2][4], fb[2][4];
      for (int i = 0; i < 2; ++i) {
        hotloop::ldmatrix_x4(fa[i], &sa[s][wr + 16 * i + (lane & 15)][kk + (lane >> 4) * 8]);
        hotloop::ldmatrix_x4_trans(fb[i], &sb[s][kk + (lane & 15)][wc + 16 * i + (lane >> 4) * 8]);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 4; ++j)
          hotloop::mma_m16n8k16<bf16>(d[i][j], fa[i], {fb[j >> 1][(j & 1) * 2], fb[j >> 1][(j & 1) * 2 + 1]});
    }
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      float* to = c + (size_t)(blockIdx.x * 64 + wr + 16 * i + lane / 4) * n + blockIdx.y * 64 + wc + 8 * j + lane % 4 * 2;
      *(float2*)to = make_float2(d[i][j][0], d[i][j][1]);
      *(float2*)(to + (size_t)8 * n) = make_float2(d[i][j][2], d[i][j][3]);
    }
// ### END SOLUTION
