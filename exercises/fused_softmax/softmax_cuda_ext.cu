// Softmax from the kernel to autograd, in one extension: kernels, the functions of tensors that
// launch them, and their registration. softmax_cuda_ext.py compiles this file with
// torch.utils.cpp_extension.load and wraps it in a torch.autograd.Function.
#ifndef USE_CUDA
#define USE_CUDA  // PyTorch's headers then declare its functions for CUDA's streams
#endif
#include <cuda_runtime.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <climits>

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// The stream that PyTorch works on now.
static cudaStream_t stream_of(const Tensor& x) {
  void* stream = nullptr;
  const int status = aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream);
  STD_TORCH_CHECK(status == AOTI_TORCH_SUCCESS, "softmax: PyTorch names no stream");
  return static_cast<cudaStream_t>(stream);
}

// ### TASK fused_softmax.extension_cuda kernels
// Two kernels: the softmax of a row, and dx of a row from y and dy. Helpers go here, too.

// Writes the softmax of each row. x: [rows, columns], float32, on the GPU, any strides. out: the
// same shape and dtype, contiguous.
void softmax_forward_out(const Tensor& x, const Tensor& out) {
  // ### TASK fused_softmax.extension_cuda forward
  // Check x, make it contiguous, launch on stream_of(x), and look for an error.
  STD_TORCH_CHECK(false, "softmax_forward_out is not written yet");
}

// The softmax of each row of x, in a new tensor.
Tensor softmax_forward(const Tensor& x) {
  STD_TORCH_CHECK(x.dim() == 2, "softmax: x must have 2 dimensions, not ", x.dim());
  Tensor out = torch::stable::new_empty(x, {x.size(0), x.size(1)});
  softmax_forward_out(x, out);
  return out;
}

// dx, contiguous. y: a result of softmax_forward. dy: the gradient that came back, of any strides.
Tensor softmax_backward(const Tensor& y, const Tensor& dy) {
  // ### TASK fused_softmax.extension_cuda backward
  STD_TORCH_CHECK(false, "softmax_backward is not written yet");
  return y;
}

STABLE_TORCH_LIBRARY(softmax_cuda_ext, m) {
  m.def("forward(Tensor x) -> Tensor");
  m.def("forward_out(Tensor x, Tensor(a!) out) -> ()");
  m.def("backward(Tensor y, Tensor dy) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(softmax_cuda_ext, CUDA, m) {
  m.impl("forward", TORCH_BOX(&softmax_forward));
  m.impl("forward_out", TORCH_BOX(&softmax_forward_out));
  m.impl("backward", TORCH_BOX(&softmax_backward));
}
