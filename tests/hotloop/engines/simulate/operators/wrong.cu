// Operators whose kernels do what a GPU does not forgive.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include <vector>

using torch::stable::Tensor;

static void ended(const char* what) {
  const cudaError_t error = cudaGetLastError();
  STD_TORCH_CHECK(error == cudaSuccess, what, ": ", cudaGetErrorString(error));
}
static float* data(const Tensor& x) { return static_cast<float*>(x.data_ptr()); }

__global__ void fill(float* x, int count) {
  if (threadIdx.x < count) x[threadIdx.x] = 1;  // LINE: fill
}
void beyond(const Tensor& x) {
  fill<<<1, 64>>>(data(x), static_cast<int>(x.numel()) + 1);
  ended("beyond");
}
void of_host(const Tensor&) {
  std::vector<float> own(64);
  fill<<<1, 64>>>(own.data(), 64);
  ended("of_host");
}
void null(const Tensor&) {
  fill<<<1, 64>>>(nullptr, 64);
  ended("null");
}
void freed(const Tensor&) {
  float* memory;
  cudaMalloc(&memory, 256);
  cudaFree(memory);
  fill<<<1, 64>>>(memory, 64);
  ended("freed");
}

__global__ void in_turn(const float* x, float* y) {
  __shared__ float given;
  if (threadIdx.x == 0) given = x[0];  // LINE: race
  y[threadIdx.x] = given;
}
void race(const Tensor& x) {
  in_turn<<<1, 64>>>(data(x), data(x) + 64);
  ended("race");
}

__global__ void stop(float* x) { assert(x[0] == 1); }  // LINE: stop
void fails(const Tensor& x) {
  stop<<<1, 1>>>(data(x));
  ended("fails");
}

__global__ void turn(volatile float* x) {
  while (x[0] == 0) {}  // LINE: turn
}
void forever(const Tensor& x) {
  turn<<<1, 1>>>(data(x));
  ended("forever");
}

__global__ void counted(float* x, size_t count) { x[0] = static_cast<float>(count); }
void too_large(const Tensor& x) {
  counted<<<1, 1>>>(data(x), size_t{1} << 33);
  ended("too_large");
}

struct Sized { size_t count; int more; };
__global__ void of_struct(float* x, Sized sized) { x[0] = static_cast<float>(sized.count + sized.more); }
void other_layout(const Tensor& x) {
  of_struct<<<1, 1>>>(data(x), Sized{3, 4});
  ended("other_layout");
}

void too_many(const Tensor& x) {
  fill<<<1, 2000>>>(data(x), 1);
  ended("too_many");
}
void copies_too_much(const Tensor& x) {
  float* memory;
  cudaMalloc(&memory, 16);
  cudaMemcpy(memory, x.data_ptr(), 64, cudaMemcpyDeviceToDevice);
  ended("copies_too_much");
}
void texture(const Tensor& x) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear = {x.data_ptr(), cudaCreateChannelDesc<float>(), 64};
  const cudaTextureDesc how{};
  cudaTextureObject_t made;
  cudaCreateTextureObject(&made, &what, &how, nullptr);
  ended("texture");
}
void reset(const Tensor&) { cudaDeviceReset(); }
void nothing(const Tensor&) { ended("nothing"); }

STABLE_TORCH_LIBRARY(hotloop_wrong, m) {
  for (const char* name : {"beyond", "of_host", "null", "freed", "race", "fails", "forever", "too_large",
                           "other_layout", "too_many", "texture", "copies_too_much", "reset", "nothing"}) {
    m.def((std::string(name) + "(Tensor(a!) x) -> ()").c_str());
  }
}
STABLE_TORCH_LIBRARY_IMPL(hotloop_wrong, CUDA, m) {
  m.impl("beyond", TORCH_BOX(&beyond));
  m.impl("of_host", TORCH_BOX(&of_host));
  m.impl("null", TORCH_BOX(&null));
  m.impl("freed", TORCH_BOX(&freed));
  m.impl("race", TORCH_BOX(&race));
  m.impl("fails", TORCH_BOX(&fails));
  m.impl("forever", TORCH_BOX(&forever));
  m.impl("too_large", TORCH_BOX(&too_large));
  m.impl("other_layout", TORCH_BOX(&other_layout));
  m.impl("too_many", TORCH_BOX(&too_many));
  m.impl("copies_too_much", TORCH_BOX(&copies_too_much));
  m.impl("texture", TORCH_BOX(&texture));
  m.impl("reset", TORCH_BOX(&reset));
  m.impl("nothing", TORCH_BOX(&nothing));
}
