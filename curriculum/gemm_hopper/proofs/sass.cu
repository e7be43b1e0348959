// Kernels whose machine code the lesson names. sm_90a; tcgen05.cu has those of sm_100a.
#include "hotloop/hopper.cuh"

#ifdef BOUNDS
#define LIMITS __launch_bounds__(384, 1)
#else
#define LIMITS
#endif

__global__ void bulk(const float* in, float* out) {
  __shared__ alignas(128) float tile[256];
  __shared__ hotloop::mbarrier done;
  if (threadIdx.x == 0) {
    hotloop::mbarrier_init(&done, 1);
    hotloop::fence_mbarrier_init();
    hotloop::mbarrier_arrive_expect_tx(&done, sizeof tile);
    hotloop::bulk_load(tile, in, sizeof tile, &done);
  }
  __syncthreads();
  hotloop::mbarrier_wait_parity(&done, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void LIMITS product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap c, float* out, int steps) {
  __shared__ alignas(1024) __nv_bfloat16 tile[64 * 64];
  __shared__ hotloop::mbarrier full;
  if (threadIdx.x == 0) hotloop::mbarrier_init(&full, 1), hotloop::fence_mbarrier_init();
  __syncthreads();
  if (threadIdx.x < 128) {
    hotloop::setmaxnreg_dec<40>();
    if (threadIdx.x == 0) {
      hotloop::mbarrier_arrive_expect_tx(&full, sizeof tile);
      hotloop::tensor_load(tile, &a, &full, 0, 0);
    }
    return;
  }
  hotloop::setmaxnreg_inc<232>();
  float sums[32] = {};
  for (int i = 0; i < steps; ++i) {
    hotloop::mbarrier_wait_parity(&full, i & 1);
    const uint64_t operand = hotloop::wgmma_descriptor(tile, 0, 1024, hotloop::swizzle::bytes_128);
    hotloop::wgmma_fence();
    hotloop::wgmma<__nv_bfloat16>(sums, operand, operand, true);
    hotloop::wgmma_commit_group();
    hotloop::wgmma_wait_group<0>(sums);
  }
  for (int i = 0; i < 32; ++i) tile[threadIdx.x % 128 * 32 + i] = __float2bfloat16(sums[i]);
  hotloop::fence_proxy_async();
  hotloop::barrier_sync(1, 256);
  if (threadIdx.x == 128) {
    hotloop::tensor_store(&c, tile, 0, 0);
    hotloop::bulk_commit_group();
    hotloop::bulk_wait_group_read<0>();
  }
}

__global__ void product_of_fp8(float* out) {
  __shared__ alignas(1024) __nv_fp8_e4m3 tile[64 * 128];
  float sums[32] = {};
  const uint64_t operand = hotloop::wgmma_descriptor(tile, 0, 1024, hotloop::swizzle::bytes_128);
  hotloop::wgmma_fence();
  hotloop::wgmma<__nv_fp8_e4m3>(sums, operand, operand, true);
  hotloop::wgmma_commit_group();
  hotloop::wgmma_wait_group<0>(sums);
  for (int i = 0; i < 32; ++i) out[threadIdx.x * 32 + i] = sums[i];
}
