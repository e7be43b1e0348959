// The kernel as an operator: C++ functions that take tensors, on PyTorch's stable ABI.
//
// Only headers of torch/csrc/stable and torch/headeronly: the library that comes out works with
// every PyTorch from the version on that it was built for.
#include "softmax.cu"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <climits>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// The stream that PyTorch works on now: what is launched elsewhere may run before x is written, or
// after the result is read.
static cudaStream_t current_stream(const Tensor& x) {
  void* stream = nullptr;
  const int status = aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream);
  STD_TORCH_CHECK(status == AOTI_TORCH_SUCCESS, "softmax: PyTorch names no stream");
  return static_cast<cudaStream_t>(stream);
}

// y = softmax of each row of x, contiguous. x: [rows, columns], float32, on the GPU, any strides.
Tensor softmax_forward(const Tensor& x) {
  STD_TORCH_CHECK(x.dim() == 2, "x must be 2-D");
  STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "x must be float32");
  STD_TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");
  torch::stable::accelerator::DeviceGuard guard(x.get_device_index());
  Tensor input = torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(input);
  if (input.numel() == 0) return y;
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
  softmax_warp<<<input.size(0), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      input.const_data_ptr<float>(), y.mutable_data_ptr<float>(), input.size(0), input.size(1));
  STD_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

// 10. The backward of a row: dx = y · (dy − sum(y · dy)).  <<<rows, kThreads>>>
// ### TASK fused_softmax.operator_backward helpers
__device__ __forceinline__ float sum_of_warp(float sum) {
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  return sum;
}

// Every thread gets the sum over the block.
__device__ __forceinline__ float sum_of_block(float sum) {
  __shared__ float of_warp[kWarps];
  sum = sum_of_warp(sum);
  const int lane = threadIdx.x % 32;
  if (lane == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  return sum_of_warp(lane < kWarps ? of_warp[lane] : 0.0f);
}

// A row that fits into the block's registers: y and dy are read once.
__device__ void backward_kept(const float4* y, const float4* dy, float4* dx, int quads) {
  float4 kept_y[kKept], kept_dy[kKept];
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    const int q = k * kThreads + threadIdx.x;
    if (q < quads) {
      const float4 a = kept_y[k] = y[q], b = kept_dy[k] = dy[q];
      sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }
  }
  sum = sum_of_block(sum);
#pragma unroll
  for (int k = 0; k < kKept; ++k) {
    const int q = k * kThreads + threadIdx.x;
    if (q < quads) {
      const float4 a = kept_y[k], b = kept_dy[k];
      dx[q] = make_float4(a.x * (b.x - sum), a.y * (b.y - sum), a.z * (b.z - sum),
                          a.w * (b.w - sum));
    }
  }
}

// Any other row: y and dy are read twice.
__device__ void backward_two_passes(const float* y, const float* dy, float* dx, int columns) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += y[c] * dy[c];
  sum = sum_of_block(sum);
  for (int c = threadIdx.x; c < columns; c += kThreads) dx[c] = y[c] * (dy[c] - sum);
}

__global__ void __launch_bounds__(kThreads) softmax_backward_kernel(const float* y, const float* dy,
                                                                    float* dx, int columns) {
  // ### TASK fused_softmax.operator_backward kernel
  const size_t start = static_cast<size_t>(blockIdx.x) * columns;
  const size_t addresses = reinterpret_cast<size_t>(y) | reinterpret_cast<size_t>(dy) |
                           reinterpret_cast<size_t>(dx);
  if (columns % 4 == 0 && addresses % 16 == 0 && columns <= kThreads * 4 * kKept) {
    backward_kept(reinterpret_cast<const float4*>(y + start),
                  reinterpret_cast<const float4*>(dy + start),
                  reinterpret_cast<float4*>(dx + start), columns / 4);
  } else {
    backward_two_passes(y + start, dy + start, dx + start, columns);
  }
}

// Writes dx, for a forward result y and the gradient dy that came back; all three contiguous.
void softmax_backward_out(const Tensor& y, const Tensor& dy, const Tensor& dx) {
  for (const Tensor& t : {y, dy, dx}) {
    STD_TORCH_CHECK(t.is_cuda(), "softmax_backward: tensors must be on the GPU");
    STD_TORCH_CHECK(t.scalar_type() == ScalarType::Float && t.is_contiguous() && t.dim() == 2 &&
                        t.size(0) == y.size(0) && t.size(1) == y.size(1),
                    "softmax_backward: y, dy and dx must be contiguous float32 of one shape");
  }
  if (y.numel() == 0) return;
  softmax_backward_kernel<<<y.size(0), kThreads, 0, current_stream(y)>>>(
      static_cast<const float*>(y.data_ptr()), static_cast<const float*>(dy.data_ptr()),
      static_cast<float*>(dx.data_ptr()), static_cast<int>(y.size(1)));
  const cudaError_t error = cudaGetLastError();
  STD_TORCH_CHECK(error == cudaSuccess, "softmax_backward: ", cudaGetErrorString(error));
}

// dx, contiguous; y and dy may have any strides.
Tensor softmax_backward(const Tensor& y, const Tensor& dy) {
  const Tensor from = torch::stable::contiguous(y), with = torch::stable::contiguous(dy);
  Tensor out = torch::stable::new_empty(from, {y.size(0), y.size(1)});
  softmax_backward_out(from, with, out);
  return out;
}

STABLE_TORCH_LIBRARY(hotloop_softmax, m) {
  m.def("forward(Tensor x) -> Tensor");
  m.def("backward(Tensor y, Tensor dy) -> Tensor");
  m.def("backward_out(Tensor y, Tensor dy, Tensor(a!) dx) -> ()");
}

STABLE_TORCH_LIBRARY_IMPL(hotloop_softmax, CUDA, m) {
  m.impl("forward", TORCH_BOX(&softmax_forward));
  m.impl("backward", TORCH_BOX(&softmax_backward));
  m.impl("backward_out", TORCH_BOX(&softmax_backward_out));
}
