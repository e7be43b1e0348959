// Two copies of half a tile on one barrier; bytes are expected apart from the arrival, and the wait is a loop of tests.
// ### BEGIN SOLUTION gemm_hopper.bulk_copy
  __shared__ __align__(16) float s[2][512];
  __shared__ hotloop::mbarrier b;
  const float* src = in + blockIdx.x * 1024;
  float* dst = out + blockIdx.x * 1024;
  if (threadIdx.x == 0) {
    hotloop::mbarrier_init(&b, 1);
    hotloop::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 32) {
    hotloop::mbarrier_expect_tx(&b, 2048);
    hotloop::bulk_load(s[0], src, 2048, &b);
    hotloop::mbarrier_expect_tx(&b, 2048);
    hotloop::bulk_load(s[1], src + 512, 2048, &b);
    hotloop::mbarrier_arrive(&b);
  }
  while (!hotloop::mbarrier_test_wait_parity(&b, 0)) {
  }
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) dst[1023 - i] = s[i / 512][i % 512];
// ### END SOLUTION
