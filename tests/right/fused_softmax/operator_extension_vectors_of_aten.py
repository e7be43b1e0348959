"""ATen's own vectors with an exponential of theirs, and a gradient that saves nothing when none is needed."""


### BEGIN SOLUTION fused_softmax.operator_extension helpers
#include <ATen/cpu/vec/functional.h>
#include <ATen/cpu/vec/vec.h>
using Vec = at::vec::Vectorized<float>;

struct Matrix {
  at::Tensor storage;
  float* data;
  int64_t rows, columns;
  explicit Matrix(const at::Tensor& t) : storage(t.contiguous()) {
    TORCH_CHECK(t.device().type() == at::kCPU && t.scalar_type() == at::kFloat && t.dim() == 2,
                "expected a float32 matrix on the CPU");
    data = storage.data_ptr<float>();
    rows = storage.size(0);
    columns = storage.size(1);
  }
  float* row(int64_t i) const { return data + i * columns; }
};
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_extension forward
  const Matrix from(x);
  float* const to = out.data_ptr<float>();
  const int64_t n = from.columns;
  for (int64_t r = 0; r < from.rows && n > 0; ++r) {
    const float* a = from.row(r);
    float* b = to + r * n;
    const float top = at::vec::reduce_all<float>([](Vec p, Vec q) { return at::vec::maximum(p, q); }, a, n);
    if (top == -std::numeric_limits<float>::infinity()) {
      std::fill(b, b + n, 0.0f);
      continue;
    }
    at::vec::map<float>([top](Vec v) { return (v - Vec(top)).exp(); }, b, a, n);
    const float sum = at::vec::reduce_all<float>([](Vec p, Vec q) { return p + q; }, b, n);
    at::vec::map<float>([sum](Vec v) { return v / Vec(sum); }, b, b, n);
  }
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_extension backward
  const Matrix result(y), incoming(dy);
  TORCH_CHECK(result.rows == incoming.rows && result.columns == incoming.columns, "y and dy differ in shape");
  at::Tensor dx = at::empty(result.storage.sizes(), result.storage.options());
  at::parallel_for(0, result.rows, 8, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float *a = result.row(r), *b = incoming.row(r);
      const float s = at::vec::map2_reduce_all<float>(
          [](Vec p, Vec q) { return p * q; }, [](Vec p, Vec q) { return p + q; }, a, b, result.columns);
      at::vec::map2<float>([s](Vec p, Vec q) { return p * (q - Vec(s)); },
                           dx.data_ptr<float>() + r * result.columns, a, b, result.columns);
    }
  });
  return dx;
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_extension bindings
PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("forward", softmax_forward, "the softmax of each row");
  module.def("forward_out", softmax_forward_out, "the same, into out");
  module.def("backward", softmax_backward, "its gradient");
}
### END SOLUTION


### BEGIN SOLUTION fused_softmax.operator_extension python
from torch.autograd.function import once_differentiable
from torch.utils import cpp_extension

_module = None


def extension():
    """The module that torch.utils.cpp_extension.load makes of SOURCE; made once."""
    global _module
    if _module is None:
        flags = "-O3 -std=c++20 -mavx2 -mfma -DCPU_CAPABILITY=AVX2 -DCPU_CAPABILITY_AVX2 -fopenmp"
        _module = cpp_extension.load(
            name="softmax_vectors",
            sources=[SOURCE.as_posix()],
            extra_cflags=flags.split(),
            extra_ldflags=["-lgomp"],
            build_directory=tempfile.mkdtemp(),
            verbose=False,
        )
    return _module


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = extension().forward(x.detach())
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(y)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, *gradients):
        if not ctx.needs_input_grad[0]:
            return None
        return extension().backward(*ctx.saved_tensors, *gradients)
### END SOLUTION
