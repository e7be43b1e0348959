// A pipeline in CUTLASS's words: a state in which the producer starts, tokens of a try that decide about the wait, a product ahead of
// the loop, slots that are released behind the products, and a tail in which the producer waits for all slots.
#include "common.h"

constexpr int kM = 128, kN = 64, kK = 32, kStages = 3;

struct PipelineState {
  int index = 0;
  unsigned phase = 0;
  __device__ PipelineState& operator++() {
    if (++index == kStages) index = 0, phase ^= 1;
    return *this;
  }
};
__device__ PipelineState producer_start_state() { return {0, OR(1, 1u, 0u)}; }

struct Token { bool is_done; };

struct SharedStorage {
  alignas(1024) bf16 a[kStages][kM * kK], b[kStages][kN * kK];
  hotloop::mbarrier full[kStages], empty[kStages];
};

class PipelineTma {
 public:
  __device__ PipelineTma(SharedStorage& storage, unsigned consumers, bool is_first_warp) : storage_(storage) {
    if (is_first_warp && hotloop::elect_sync()) {
      for (int s = 0; s < kStages; ++s) hotloop::mbarrier_init(&storage.full[s], 1), hotloop::mbarrier_init(&storage.empty[s], consumers);
    }
    hotloop::fence_mbarrier_init();
  }
  __device__ Token producer_try_acquire(PipelineState at) { return {hotloop::mbarrier_try_wait_parity(&storage_.empty[at.index], at.phase)}; }
  __device__ void producer_acquire(PipelineState at, Token token = {false}) {
    if (token.is_done == OR(2, false, true)) hotloop::mbarrier_wait_parity(&storage_.empty[at.index], at.phase);  // 1: hang
    hotloop::mbarrier_arrive_expect_tx(&storage_.full[at.index], OR(3, sizeof storage_.a[0] + sizeof storage_.b[0], sizeof storage_.a));
  }
  __device__ Token consumer_try_wait(PipelineState at) { return {hotloop::mbarrier_try_wait_parity(&storage_.full[at.index], at.phase)}; }
  __device__ void consumer_wait(PipelineState at, Token token = {false}) {
    if (token.is_done == OR(4, false, true)) hotloop::mbarrier_wait_parity(&storage_.full[at.index], at.phase);  // 3: hang
  }
  __device__ void consumer_release(PipelineState at, bool is_signaling) {
    if (is_signaling) hotloop::mbarrier_arrive(&storage_.empty[at.index]);  // 8: mbarrier
  }
  __device__ void producer_tail(PipelineState at) {
    for (int s = 0; s < kStages; ++s, ++at) producer_acquire_only(at);
  }

 private:
  __device__ void producer_acquire_only(PipelineState at) { hotloop::mbarrier_wait_parity(&storage_.empty[at.index], at.phase); }  // 7: hang
  SharedStorage& storage_;
};

__global__ void __launch_bounds__(384, 1) multiply(
    const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c, int n, int steps) {
  __shared__ SharedStorage storage;
  const int group = __shfl_sync(0xffffffffu, threadIdx.x / 128, 0), thread = threadIdx.x % 128;
  PipelineTma pipeline(storage, OR(8, 2, 1), threadIdx.x < 32);
  __syncthreads();
  if (group == 0) {
    hotloop::setmaxnreg_dec<40>();
    if (threadIdx.x >= 32 || !hotloop::elect_sync()) return;
    PipelineState write = producer_start_state();
    for (int i = 0; i < steps; ++i, ++write) {
      const Token token = FAULT == 2 || i % 2 ? pipeline.producer_try_acquire(write) : Token{false};
      pipeline.producer_acquire(write, token);
      hotloop::tensor_load(storage.a[write.index], &a, &storage.full[write.index], i * kK, blockIdx.y * kM);  // 2: race 5: race 6: race
      hotloop::tensor_load(storage.b[write.index], &b, &storage.full[write.index], i * kK, blockIdx.x * kN);  // 2: race 5: race 6: race
    }
    pipeline.producer_tail(write);
    return;
  }
  hotloop::setmaxnreg_inc<232>();
  float sums[kN / 2];
  for (float& sum : sums) sum = 0;
  PipelineState read, release;
  const auto multiply_one = [&](PipelineState at) {
    hotloop::wgmma_fence();
    for (int k = 0; k < kK; k += 16) {
      hotloop::wgmma<bf16>(sums, hotloop::wgmma_descriptor(storage.a[at.index] + (group - 1) * 64 * kK + k, 0, 16 * kK, hotloop::swizzle::bytes_64),  // 4: race 5: race 6: race
                           hotloop::wgmma_descriptor(storage.b[at.index] + k, 0, 16 * kK, hotloop::swizzle::bytes_64), true);
    }
    hotloop::wgmma_commit_group();
  };
  pipeline.consumer_wait(read, FAULT == 4 ? pipeline.consumer_try_wait(read) : Token{false});
  multiply_one(read);
  ++read;
  Token token = pipeline.consumer_try_wait(read);
  for (int i = 1; i < steps; ++i) {
    pipeline.consumer_wait(read, token);
    multiply_one(read);
    if (FAULT != 5) hotloop::wgmma_wait_group<OR(6, 1, 2)>(sums);
    if (FAULT != 7 || i < steps - 1) pipeline.consumer_release(release, thread == 0);
    ++read, ++release;
    if (i + 1 < steps) token = pipeline.consumer_try_wait(read);
  }
  hotloop::wgmma_wait_group<0>(sums);
  pipeline.consumer_release(release, thread == 0);
  const unsigned row = blockIdx.y * kM + (group - 1) * 64 + thread / 32 * 16 + thread % 32 / 4, column = blockIdx.x * kN + thread % 4 * 2;
  for (unsigned i = 0; i < kN / 2; ++i) c[(row + 8 * (i / 2 % 2)) * n + column + i / 4 * 8 + i % 2] = sums[i];
}

int main() {
  constexpr unsigned m = 256, n = 64, k = 288;
  const auto a = numbers<bf16>(m * k, 5), b = numbers<bf16>(n * k, 7);
  float* const c = on_device(std::vector<float>(m * n));
  const auto of_a = map_of<bf16, 2>(on_device(a), {k, m}, {kK, kM}, CU_TENSOR_MAP_SWIZZLE_64B);
  const auto of_b = map_of<bf16, 2>(on_device(b), {k, n}, {kK, kN}, CU_TENSOR_MAP_SWIZZLE_64B);
  multiply<<<dim3(n / kN, m / kM), 384>>>(of_a, of_b, c, n, k / kK);
  CHECK_LAUNCH();
  return verdict(is_product(a, b, on_host(c, m * n), m, n, k));
}
