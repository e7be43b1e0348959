// Fragments of a by 32-bit loads from shared memory in place of ldmatrix, b by pairs; results as float2.
// ### BEGIN SOLUTION gemm_tensor_cores.mma_tile
  __shared__ __align__(16) bf16 sa[16][24], sb[16][24];
  const int lane = threadIdx.x, g = lane >> 2, q = lane & 3;
  float d0[4] = {}, d1[4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    const int r = lane & 15, h = (lane >> 4) * 8;
    *(uint4*)&sa[r][h] = *(const uint4*)&a[(size_t)(blockIdx.x * 16 + r) * k + k0 + h];
    *(uint4*)&sb[r][h] = *(const uint4*)&b[(size_t)(k0 + r) * n + blockIdx.y * 16 + h];
    __syncwarp();
    uint32_t fa[4];
    for (int i = 0; i < 4; ++i) fa[i] = *(const uint32_t*)&sa[g + (i & 1) * 8][q * 2 + (i >> 1) * 8];
    uint32_t fb[4];
    hotloop::ldmatrix_x4_trans(fb, &sb[r][h]);
    hotloop::mma_m16n8k16<bf16>(d0, fa, {fb[0], fb[1]});
    hotloop::mma_m16n8k16<bf16>(d1, fa, {fb[2], fb[3]});
    __syncwarp();
  }
  float* out = c + (size_t)(blockIdx.x * 16 + g) * n + blockIdx.y * 16 + q * 2;
  *(float2*)out = make_float2(d0[0], d0[1]);
  *(float2*)(out + (size_t)8 * n) = make_float2(d0[2], d0[3]);
  *(float2*)(out + 8) = make_float2(d1[0], d1[1]);
  *(float2*)(out + (size_t)8 * n + 8) = make_float2(d1[2], d1[3]);
// ### END SOLUTION
