// The products of the tasks, as their references have them: argv is the kernel, or none, and m = n = k. Prints right or wrong.
#include "../../../solutions/gemm_hopper/gemm.cu"

#include <cstdlib>
#include <cstring>

#include "common.h"

// Whether some rows of c are right.
template <class T>
int compared(const bf16* a, const bf16* b, const T* c, int n) {
  cudaDeviceSynchronize();
  bool is_right = true;
  for (int i = 0; i < n; i += 37) {
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int l = 0; l < n; ++l) sum += static_cast<float>(a[i * n + l]) * static_cast<float>(b[j * n + l]);
      is_right &= static_cast<float>(c[i * n + j]) == static_cast<float>(T(sum));
    }
  }
  return verdict(is_right);
}

int main(int, char** arguments) {
  const int n = std::atoi(arguments[2]);
  const auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  const bf16 *a = on_device(numbers<bf16>(n * n, 5)), *b = on_device(numbers<bf16>(n * n, 7));
  float* const c = on_device(std::vector<float>(n * n));
  bf16* const rounded = on_device(numbers<bf16>(n * n, 3));
  if (std::strcmp(arguments[1], "wgmma_tile") == 0) {
    const auto of_a = hotloop::tensor_map(a, n, n, 64, 64, swizzle), of_b = hotloop::tensor_map(b, n, n, 64, 64, swizzle);
    wgmma_tile<<<dim3(n / 64, n / 64), 128>>>(of_a, of_b, c, n, n, n);
    return compared(a, b, c, n);
  }
  if (std::strcmp(arguments[1], "none") == 0) return compared(a, b, c, n);
  const auto of_a = hotloop::tensor_map(a, n, n, 128, 64, swizzle), of_b = hotloop::tensor_map(b, n, n, 128, 64, swizzle);
  if (std::strcmp(arguments[1], "gemm_hopper") == 0) {
    cudaFuncSetAttribute(gemm_hopper, cudaFuncAttributeMaxDynamicSharedMemorySize, 132096);
    gemm_hopper<<<dim3(n / 128, n / 128), 384, 132096>>>(of_a, of_b, c, n, n, n);
    return compared(a, b, c, n);
  }
  cudaFuncSetAttribute(persistent, cudaFuncAttributeMaxDynamicSharedMemorySize, 164864);
  persistent<<<2, 384, 164864>>>(of_a, of_b, hotloop::tensor_map(rounded, n, n, 64, 64, swizzle), n, n, n);
  return compared(a, b, rounded, n);
}
