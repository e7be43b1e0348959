// The kernel as an operator: C++ functions that take tensors, on PyTorch's stable ABI.
//
// Only headers of torch/csrc/stable and torch/headeronly: the library that comes out works with
// every PyTorch from the version on that it was built for.
#include "softmax.cu"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/library.h>
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
  // ### TASK fused_softmax.operator_launcher
  // Check x, make it contiguous, launch softmax_warp, look for an error, return the result.
  STD_TORCH_CHECK(false, "softmax_forward is not written yet");
  return x;
}

// 10. The backward of a row: dx = y · (dy − sum(y · dy)).  <<<rows, kThreads>>>
// ### TASK fused_softmax.operator_backward helpers
// Helpers of softmax_backward_kernel go here.

__global__ void __launch_bounds__(kThreads) softmax_backward_kernel(const float* y, const float* dy,
                                                                    float* dx, int columns) {
  // ### TASK fused_softmax.operator_backward kernel
  // One block a row: the sum of y · dy over the row, then dx.
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
