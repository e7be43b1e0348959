// Asynchronous operations with arguments drawn at random: argv[1] is the seed. Prints CHANGED if anything but shared memory,
// the kernel's own array and a thread's own variables has changed.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "hotloop/hopper.cuh"

constexpr int kCalls = 6, kArguments = 10, kGuard = 4096;
__device__ float guard[kGuard];
__device__ CUtensorMap maps[2][128];

__global__ void calls(const unsigned* drawn, float* own) {
  __shared__ alignas(1024) float tile[8192];
  __shared__ hotloop::mbarrier barriers[4];
  float sums[128];
  CUtensorMap& map = maps[blockIdx.x][threadIdx.x];
  if (threadIdx.x == 0) {
    for (auto& b : barriers) hotloop::mbarrier_init(&b, 1);
    hotloop::fence_mbarrier_init();
  }
  tile[threadIdx.x] = 1;
  __syncthreads();
  // Addresses, mostly those of something; and small numbers.
  const auto place = [&](unsigned value) -> void* {
    char* const bases[] = {(char*)tile, (char*)own, (char*)sums, (char*)&map, (char*)&barriers[1], (char*)guard, (char*)drawn, nullptr};
    const unsigned steps[] = {0, 16, 128, 4, 0xfffffff0u, 1u << 15, 1u << 20, value};
    return bases[value % 8] + steps[value / 8 % 8];
  };
  const unsigned* a = drawn;
  map.is_map = 0x70a5a9, map.base = (unsigned)(size_t)place(a[0]), map.rank = 1 + a[1] % 6, map.element = 1 << a[2] % 5, map.swizzle = 32 * (a[3] % 6);
  for (int d = 0; d < 5; ++d) map.size[d] = a[4] >> d * 3 & 63, map.stride[d] = a[5] % 7 * 16, map.box[d] = 1 + (a[6] >> d * 4 & 31);
  for (int i = 0; i < kCalls; ++i) {
    a = drawn + (i + 1) * kArguments;
    const unsigned op = a[1] % 7, bytes = a[4] % 3 ? a[4] % 64 * 16 : a[4];
    void *x = place(a[2]), *y = place(a[3]), *b = &barriers[a[5] % 5];
    switch (a[0] % 8) {
      case 0: hotloop_mbarrier(op, a[2] % 3 ? b : x, bytes); break;
      case 1: hotloop_bulk(op % 2, x, y, bytes, b); break;
      case 2: hotloop_bulk_tensor(op % 2, x, a[3] % 4 ? &map : y, b, a[6] % 99 - 20, a[7] % 9, 0, 0, a[8]); break;
      case 3: hotloop_bulk_group(op % 4, a[2] % 3); break;
      case 4: hotloop_wgmma(a[2] % 3 ? sums : (float*)x, (uint64_t)a[6] << 32 | a[7], (uint64_t)a[8] << 32 | a[9], op ? nullptr : y, a[4] % 2 ? 64 | a[4] % 9 << 16 : a[4]); break;
      case 5: hotloop_wgmma_group(op % 3); break;
      case 6: hotloop_fence_proxy(op % 2); break;
      default: hotloop_named_arrive(a[2] % 17, 32 * (a[3] % 34));
    }
  }
  own[threadIdx.x] = sums[a[0] % 128];
}

int main(int, char** arguments) {
  std::srand(std::atoi(arguments[1]));
  std::vector<unsigned> drawn((kCalls + 1) * kArguments);
  for (unsigned& value : drawn) value = static_cast<unsigned>(std::rand()) * 2654435761u ^ std::rand();
  std::vector<float> values(kGuard, 3), after(kGuard), host = values;
  unsigned* d;
  float *own, *other;
  cudaMalloc(&other, sizeof(float) * kGuard), cudaMalloc(&own, sizeof(float) * 8192), cudaMalloc(&d, drawn.size() * 4);
  cudaMemcpy(other, values.data(), sizeof(float) * kGuard, cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(guard, values.data(), sizeof(float) * kGuard);
  cudaMemcpy(own, std::vector<float>(8192, 1).data(), sizeof(float) * 8192, cudaMemcpyHostToDevice);
  cudaMemcpy(d, drawn.data(), drawn.size() * 4, cudaMemcpyHostToDevice);
  calls<<<2, 128>>>(d, own);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%d\n", static_cast<int>(error));
  if (host != values) std::puts("CHANGED");
  return 0;
}
