// Each lane of a warp hands a number to its neighbor through shared memory. What lies between
// the write and the read is the program's argument; only one of them orders memory.
//
//     hotloop cuda run curriculum/fused_softmax/proofs/warp_order.cu

#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

constexpr unsigned kFullWarp = 0xffffffff;

enum class Between { Nothing, Volatile, Fence, Shuffle, Ballot, SyncWarp };

// --8<-- [start:exchange]
template <Between kBetween>
__global__ void exchange(float* out) {
  __shared__ float slot[32];
  const int lane = threadIdx.x;
  if (kBetween == Between::Volatile) {
    *const_cast<volatile float*>(&slot[lane]) = static_cast<float>(lane);
  } else {
    slot[lane] = static_cast<float>(lane);
  }
  if (kBetween == Between::Fence) __threadfence_block();
  if (kBetween == Between::Shuffle) __shfl_xor_sync(kFullWarp, lane, 1);
  if (kBetween == Between::Ballot) __ballot_sync(kFullWarp, lane < 16);
  if (kBetween == Between::SyncWarp) __syncwarp();
  const int neighbor = (lane + 1) % 32;
  if (kBetween == Between::Volatile) {
    out[lane] = *const_cast<volatile float*>(&slot[neighbor]);
  } else {
    out[lane] = slot[neighbor];
  }
}
// --8<-- [end:exchange]

int main(int count, char** arguments) {
  const char* between = count > 1 ? arguments[1] : "syncwarp";
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  if (!std::strcmp(between, "nothing")) exchange<Between::Nothing><<<1, 32>>>(out);
  if (!std::strcmp(between, "volatile")) exchange<Between::Volatile><<<1, 32>>>(out);
  if (!std::strcmp(between, "fence")) exchange<Between::Fence><<<1, 32>>>(out);
  if (!std::strcmp(between, "shuffle")) exchange<Between::Shuffle><<<1, 32>>>(out);
  if (!std::strcmp(between, "ballot")) exchange<Between::Ballot><<<1, 32>>>(out);
  if (!std::strcmp(between, "syncwarp")) exchange<Between::SyncWarp><<<1, 32>>>(out);
  float host[32];
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  bool right = true;
  for (int lane = 0; lane < 32; ++lane) right = right && host[lane] == (lane + 1) % 32;
  std::printf(right ? "right\n" : "wrong\n");
  cudaFree(out);
  return 0;
}
