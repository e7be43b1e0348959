// All threads arrive at the barrier; float4 stores.
// ### BEGIN SOLUTION gemm_hopper.bulk_copy
  __shared__ alignas(16) float tile[1024];
  __shared__ hotloop::mbarrier bar;
  const unsigned t = threadIdx.x;
  if (t == 255) hotloop::mbarrier_init(&bar, 256), hotloop::fence_mbarrier_init();
  __syncthreads();
  if (t == 0) {
    hotloop::mbarrier_arrive_expect_tx(&bar, 4096);
    hotloop::bulk_load(tile, in + (size_t)blockIdx.x * 1024, 4096, &bar);
  } else {
    hotloop::mbarrier_arrive(&bar);
  }
  hotloop::mbarrier_wait_parity(&bar, 0);
  const float4 v = reinterpret_cast<const float4*>(tile)[255 - t];
  reinterpret_cast<float4*>(out)[blockIdx.x * 256u + t] = make_float4(v.w, v.z, v.y, v.x);
// ### END SOLUTION
