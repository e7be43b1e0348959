// Makes cuBLAS' handles and does without it, as in llm.c; asks the process what time it took.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <signal.h>
#include <sys/resource.h>

#include "../check.h"

__global__ void fill(__nv_bfloat16* x) { x[threadIdx.x] = __float2bfloat16(2.0f); }

int main() {
  cublasHandle_t handle;
  cublasLtHandle_t light;
  bool right = cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS && cublasLtCreate(&light) == CUBLAS_STATUS_SUCCESS;
  right &= cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS;
  __nv_bfloat16 x[32], *device;
  CHECK(cudaMalloc(&device, sizeof x));
  fill<<<1, 32>>>(device);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x, device, sizeof x, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device));
  right &= __bfloat162float(x[31]) == 2.0f;
  right &= cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS && cublasLtDestroy(light) == CUBLAS_STATUS_SUCCESS;
  rusage used;
  return verdict(right && !getrusage(RUSAGE_SELF, &used) && signal(SIGINT, SIG_IGN) == SIG_DFL);
}
