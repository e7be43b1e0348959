// One product of each kind: operands that threads have written core matrix by core matrix (no swizzle), a from registers, 8-bit
// floats, all sizes of n, two accumulators in flight.
#include "common.h"

// Where element (row, byte) of an operand without a swizzle lies: 8 rows of 16 bytes are neighbors, then come the next
// 8 rows, then the next 16 bytes of all rows.
__device__ unsigned core(unsigned row, unsigned byte, unsigned rows) { return byte / 16 * rows * 16 + row * 16 + byte % 16; }

template <class T, int n, bool from_registers>
__global__ void multiply(const T* a, const T* b, float* c) {
  constexpr unsigned kDepth = 32 / sizeof(T);
  __shared__ alignas(1024) unsigned char tile_a[64 * 32], tile_b[n * 32];
  const unsigned t = threadIdx.x, lane = t % 32, g = lane / 4, q = lane % 4;
  for (unsigned i = t; i < 64 * kDepth; i += 128) *reinterpret_cast<T*>(tile_a + core(i / kDepth, i % kDepth * sizeof(T), 64)) = a[i];
  for (unsigned i = t; i < n * kDepth; i += 128) *reinterpret_cast<T*>(tile_b + core(i / kDepth, i % kDepth * sizeof(T), n)) = b[i];
  if (FAULT != 1) hotloop::fence_proxy_async();
  if (FAULT != 2) __syncthreads();
  float sums[n / 2] = {}, others[n / 2] = {};
  const uint64_t of_a = hotloop::wgmma_descriptor(tile_a, 64 * 16, 128, hotloop::swizzle::none);
  const uint64_t of_b = hotloop::wgmma_descriptor(tile_b, n * 16, 128, hotloop::swizzle::none);
  if (FAULT != 3) hotloop::wgmma_fence();
  if constexpr (from_registers) {
    uint32_t rows[4];
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = t / 32 * 16 + g + 8 * (i % 2), byte = 16 * (i / 2) + 4 * q;
      rows[i] = *reinterpret_cast<const uint32_t*>(reinterpret_cast<const unsigned char*>(a + row * kDepth) + byte);
    }
    hotloop::wgmma<T>(sums, rows, of_b, true);
  } else {
    hotloop::wgmma<T>(sums, of_a, of_b, false);  // 1: fence 2: race 3: fence
  }
  hotloop::wgmma_commit_group();
  hotloop::wgmma<T>(others, of_a, of_b, true);
  hotloop::wgmma<T>(others, of_a, of_b, true);
  hotloop::wgmma_commit_group();
  if (FAULT == 5 && lane == 0) hotloop::wgmma_wait_group<0>(sums, others);  // 5: divergent_warp 6: divergent_warp
  if (FAULT == 6 && lane == 0) return;
  hotloop::wgmma_wait_group<1>(sums);  // 5: divergent_warp 6: divergent_warp
  if (FAULT == 4) sums[0] = others[0];  // 4: in_flight
  for (unsigned i = 0; i < n / 2; ++i) {
    const unsigned row = t / 32 * 16 + g + 8 * (i / 2 % 2), column = i / 4 * 8 + 2 * q + i % 2;
    c[row * n + column] = sums[i];
  }
  hotloop::wgmma_wait_group<0>(others);  // 6: divergent_warp
  for (unsigned i = 0; i < n / 2; ++i) {
    const unsigned row = t / 32 * 16 + g + 8 * (i / 2 % 2), column = i / 4 * 8 + 2 * q + i % 2;
    c[row * n + column] += others[i];
  }
}

template <class T, int n, bool from_registers>
bool is_right() {
  constexpr int k = 32 / sizeof(T);
  const auto a = numbers<T>(64 * k, 5), b = numbers<T>(n * k, 7);
  float* const c = on_device(std::vector<float>(64 * n));
  multiply<T, n, from_registers><<<1, 128>>>(on_device(a), on_device(b), c);
  CHECK_LAUNCH();
  const auto got = on_host(c, 64 * n);
  for (int i = 0; i < 64 * n; ++i) {
    float sum = 0;
    for (int l = 0; l < k; ++l) sum += 3 * static_cast<float>(a[i / n * k + l]) * static_cast<float>(b[i % n * k + l]);
    if (got[i] != sum) return false;
  }
  return true;
}

int main() {
  bool all = is_right<bf16, 64, false>() && is_right<__half, 128, false>() && is_right<bf16, 256, false>();
  all = all && is_right<bf16, 64, true>() && is_right<__half, 192, true>();
  all = all && is_right<__nv_fp8_e4m3, 64, false>() && is_right<__nv_fp8_e5m2, 128, false>() && is_right<__nv_fp8_e4m3, 64, true>();
  return verdict(all);
}
