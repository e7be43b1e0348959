// The first warp group produces with its last warp, three stages, each warp of the consumers arrives, no product is left in flight.
// ### BEGIN SOLUTION gemm_hopper.gemm_hopper
constexpr int kTileBytes = 128 * 64 * 2;

__device__ void produce(
    const CUtensorMap* a, const CUtensorMap* b, unsigned char* memory, hotloop::mbarrier* full, hotloop::mbarrier* empty, int steps, int row,
    int column) {
  int stage = 0;
  unsigned phase = 1;
  for (int i = 0; i < steps; ++i) {
    unsigned char* const at = memory + 2 * kTileBytes * stage;
    hotloop::mbarrier_wait_parity(empty + stage, phase);
    hotloop::mbarrier_arrive_expect_tx(full + stage, 2 * kTileBytes);
    hotloop::tensor_load(at + kTileBytes, b, full + stage, 64 * i, column);
    hotloop::tensor_load(at, a, full + stage, 64 * i, row);
    if (++stage == 3) stage = 0, phase ^= 1;
  }
}

__global__ __launch_bounds__(384) void gemm_hopper(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __shared__ hotloop::mbarrier full[3], empty[3];
  const int group = threadIdx.x / 128, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int s = 0; s < 3; ++s) hotloop::mbarrier_init(full + s, 1), hotloop::mbarrier_init(empty + s, 8);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (group == 0) {
    hotloop::setmaxnreg_dec<24>();
    if (warp == 3 && hotloop::elect_sync()) produce(&a, &b, memory, full, empty, k / 64, 128 * blockIdx.x, 128 * blockIdx.y);
    return;
  }
  hotloop::setmaxnreg_inc<240>();
  float d[64];
  int stage = 0;
  unsigned phase = 0;
  for (int i = 0; i < k / 64; ++i) {
    hotloop::mbarrier_wait_parity(full + stage, phase);
    const unsigned char* const at = memory + 2 * kTileBytes * stage;
    hotloop::wgmma_fence();
    for (int byte = 0; byte < 128; byte += 32) {
      hotloop::wgmma<bf16>(d, hotloop::wgmma_descriptor(at + (group - 1) * 64 * 128 + byte, 1, 1024, hotloop::swizzle::bytes_128),
                           hotloop::wgmma_descriptor(at + kTileBytes + byte, 1, 1024, hotloop::swizzle::bytes_128), i || byte);
    }
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(d);
    if (threadIdx.x % 32 == 0) hotloop::mbarrier_arrive(empty + stage);
    if (++stage == 3) stage = 0, phase ^= 1;
  }
  const int lane = threadIdx.x % 32;
  float* const to = c + (size_t)(128 * blockIdx.x + (warp - 4) * 16 + lane / 4) * n + 128 * blockIdx.y + lane % 4 * 2;
  for (int j = 0; j < 16; ++j) {
    *reinterpret_cast<float2*>(to + 8 * j) = make_float2(d[4 * j], d[4 * j + 1]);
    *reinterpret_cast<float2*>(to + 8 * (size_t)n + 8 * j) = make_float2(d[4 * j + 2], d[4 * j + 3]);
  }
}
// ### END SOLUTION
