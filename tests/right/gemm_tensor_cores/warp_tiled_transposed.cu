// The tile of a lies transposed, so that both operands of a thread's 4 x 4 are one float4; loads are in registers first.
// ### BEGIN SOLUTION gemm_tensor_cores.warp_tiled
  __shared__ __align__(16) float as[16][64 + 4], bs[16][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float* pa = a + (size_t)(blockIdx.x * 64 + t / 4) * k + t % 4 * 4;
  const float* pb = b + (size_t)(t / 16) * n + blockIdx.y * 64 + t % 16 * 4;
  float4 na = *(const float4*)pa, nb = *(const float4*)pb;
  float acc[4][4] = {{0.f}};
  for (int first = 0; first < k; first += 16) {
    const int row = t / 4, column = t % 4 * 4;
    as[column][row] = na.x;
    as[column + 1][row] = na.y;
    as[column + 2][row] = na.z;
    as[column + 3][row] = na.w;
    *(float4*)&bs[t / 16][t % 16 * 4] = nb;
    __syncthreads();
    pa += 16;
    pb += (size_t)16 * n;
    if (first + 16 < k) {
      na = *(const float4*)pa;
      nb = *(const float4*)pb;
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const float4 u = *(const float4*)&as[i][ty * 4], v = *(const float4*)&bs[i][tx * 4];
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c) acc[r][c] = fmaf(us[r], vs[c], acc[r][c]);
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) {
    float* to = c + (size_t)(blockIdx.x * 64 + ty * 4 + r) * n + blockIdx.y * 64 + tx * 4;
    *(float4*)to = make_float4(acc[r][0], acc[r][1], acc[r][2], acc[r][3]);
  }
// ### END SOLUTION
