// An operator on the stable ABI: a C interface and headers, no C++ symbol of the library.

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

using torch::stable::Tensor;

// --8<-- [start:launcher]
Tensor halve(const Tensor& x) {
  STD_TORCH_CHECK(x.scalar_type() == torch::headeronly::ScalarType::Float, "halve: float32 only");
  STD_TORCH_CHECK(x.is_contiguous(), "halve: contiguous tensors only");
  Tensor out = torch::stable::empty_like(x);
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(out.data_ptr());
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] / 2;
  return out;
}

STABLE_TORCH_LIBRARY(hotloop_stable_proof, m) { m.def("halve(Tensor x) -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(hotloop_stable_proof, CPU, m) { m.impl("halve", TORCH_BOX(&halve)); }
// --8<-- [end:launcher]
