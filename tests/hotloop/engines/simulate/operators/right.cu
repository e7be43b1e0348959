// Operators whose results PyTorch can tell: what kernels may take, and what host code may ask for.
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/device.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/macros.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>
#include <torch/headeronly/util/Exception.h>

#include <tuple>
#include <vector>

using torch::stable::Tensor;

static void checked(cudaError_t error) {
  STD_TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
}
static unsigned blocks(int64_t count) { return static_cast<unsigned>((count + 63) / 64); }

// int64_t is another type for the host than for the device: the kernel's symbol differs.
__global__ void scale_strided(const float* x, float* y, float by, int64_t stride, size_t count) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i < count) y[i] = by * x[i * stride];
}
Tensor scale(const Tensor& x, double by) {
  STD_TORCH_CHECK(x.is_cuda() && !x.is_cpu() && x.device().is_cuda(), "x must be on the GPU");
  const torch::stable::accelerator::DeviceGuard guard(x.get_device_index());
  void* stream = nullptr;
  STD_TORCH_CHECK(aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream) == 0, "stream");
  Tensor y = torch::stable::empty({x.size(0)}, x.scalar_type(), std::nullopt, x.device());
  scale_strided<<<blocks(x.size(0)), 64, 0, static_cast<cudaStream_t>(stream)>>>(
      x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), static_cast<float>(by), x.stride(0), x.size(0));
  checked(cudaGetLastError());
  return y;
}

template <typename T, int step>
__global__ void split_kernel(const T* x, T* first, T* second) {
  first[threadIdx.x] = x[step * threadIdx.x];
  second[threadIdx.x] = x[step * threadIdx.x + 1];
}
std::tuple<Tensor, Tensor> split(const Tensor& x) {
  const int64_t half = x.size(0) / 2;
  Tensor first = torch::stable::new_empty(x, {half}), second = torch::stable::new_empty(x, {half});
  if (x.scalar_type() == torch::headeronly::ScalarType::Float) {
    split_kernel<float, 2><<<1, half>>>(static_cast<const float*>(x.data_ptr()),
                                        static_cast<float*>(first.data_ptr()), static_cast<float*>(second.data_ptr()));
  } else {
    split_kernel<int64_t, 2><<<1, half>>>(static_cast<const int64_t*>(x.data_ptr()),
                                          static_cast<int64_t*>(first.data_ptr()), static_cast<int64_t*>(second.data_ptr()));
  }
  checked(cudaGetLastError());
  return {first, second};
}

// Both pointers lead into one storage.
__global__ void shift(const float* from, float* to) {
  const float value = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = value;
}
void shift_left(const Tensor& x) {
  float* data = static_cast<float*>(x.data_ptr());
  shift<<<1, x.size(0) - 1>>>(data + 1, data);
  checked(cudaGetLastError());
}

// Memory of the operator's own, and no tensor for its result.
__global__ void add_up(const double* x, double* total, int count) {
  extern __shared__ double of_thread[];
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) sum += x[i];
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x) return;
  sum = 0;
  for (int t = 0; t < blockDim.x; ++t) sum += of_thread[t];
  *total = sum;
}
double sum(const Tensor& x) {
  double *copy, *total, result = 0;
  const size_t bytes = x.numel() * sizeof(double);
  checked(cudaMalloc(&copy, bytes));
  checked(cudaMalloc(&total, sizeof(double)));
  checked(cudaMemcpy(copy, x.data_ptr(), bytes, cudaMemcpyDeviceToDevice));
  add_up<<<1, 32, 32 * sizeof(double)>>>(copy, total, static_cast<int>(x.numel()));
  checked(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
  checked(cudaFree(copy));
  checked(cudaFree(total));
  return result;
}

// Variables of the device keep their values between launches; one that host code never names as well.
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int calls = 10;
static __device__ int hidden = 100;
__global__ void weigh(float* y) {
  y[threadIdx.x] = weights[threadIdx.x];
  if (threadIdx.x == 0) y[4] = ++calls, y[5] = ++hidden;
}
Tensor weighed(const Tensor& x) {
  Tensor y = torch::stable::new_empty(x, {6});
  weigh<<<1, 4>>>(static_cast<float*>(y.data_ptr()));
  checked(cudaGetLastError());
  return y;
}
void set_weights(const Tensor& x) {
  checked(cudaMemcpyToSymbol(weights, x.data_ptr(), sizeof weights));
  const int start = 0;
  checked(cudaMemcpyToSymbol(calls, &start, sizeof start));
}
int64_t count_calls(const Tensor&) {
  int found = 0;
  checked(cudaMemcpyFromSymbol(&found, calls, sizeof found));
  return found;
}

struct Line { float slope, offset; };
__global__ void on_line(float* x, Line line) { x[threadIdx.x] = line.slope * x[threadIdx.x] + line.offset; }
void line(const Tensor& x) {
  on_line<<<1, x.numel()>>>(static_cast<float*>(x.data_ptr()), Line{2, 1});
  checked(cudaGetLastError());
}

__global__ void hello() { printf("hello from %d\n", threadIdx.x); }
void greet(const Tensor&) { hello<<<1, 2>>>(); }

Tensor on_cpu(const Tensor& x) {
  const torch::stable::Device cpu(torch::headeronly::DeviceType::CPU);
  Tensor y = torch::stable::empty({1}, x.scalar_type(), std::nullopt, cpu);
  *static_cast<float*>(y.data_ptr()) = 7;
  return y;
}

// A launch by each function of the runtime, with PyTorch's own checks, guards, streams and allocator.
__global__ void add_in_place(float* x, const int* by, double factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] += static_cast<float>(*by * factor);
}
void launched_by_functions(const Tensor& x) {
  CUDAGuardHandle guard = nullptr;
  void *stream = nullptr, *memory = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_create_cuda_guard(x.get_device_index(), &guard));
  TORCH_ERROR_CODE_CHECK(torch_get_cuda_stream_from_pool(false, x.get_device_index(), &stream));
  TORCH_ERROR_CODE_CHECK(torch_set_current_cuda_stream(stream, x.get_device_index()));
  TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_caching_allocator_raw_alloc(sizeof(int), &memory));
  int* by = static_cast<int*>(memory);
  const int three = 3;
  STD_CUDA_CHECK(cudaMemcpy(by, &three, sizeof three, cudaMemcpyHostToDevice));
  float* data = x.mutable_data_ptr<float>();
  double factor = 2.0;
  int count = static_cast<int>(x.numel());
  void* arguments[] = {&data, &by, &factor, &count};
  const dim3 grid(blocks(count)), block(64);
  STD_CUDA_CHECK(cudaLaunchKernel(add_in_place, grid, block, arguments));
  STD_CUDA_CHECK(cudaLaunchKernel((const void*)add_in_place, grid, block, arguments, 0, static_cast<cudaStream_t>(stream)));
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = grid;
  configuration.blockDim = block;
  STD_CUDA_CHECK(cudaLaunchKernelEx(&configuration, add_in_place, data, by, factor, count));
  STD_CUDA_KERNEL_LAUNCH_CHECK();
  TORCH_ERROR_CODE_CHECK(torch_cuda_stream_synchronize(stream, x.get_device_index()));
  TORCH_ERROR_CODE_CHECK(aoti_torch_cuda_caching_allocator_raw_delete(memory));
  TORCH_ERROR_CODE_CHECK(aoti_torch_delete_cuda_guard(guard));
}
void checked_by_pytorch(const Tensor& x) {
  add_in_place<<<0, 64>>>(x.mutable_data_ptr<float>(), nullptr, 1.0, 0);
  STD_CUDA_KERNEL_LAUNCH_CHECK();
}
void sized_otherwise(const Tensor& x) {
  const float* from = x.const_data_ptr<float>();
  float *to = x.mutable_data_ptr<float>(), by = 1;
  int64_t stride = 1;
  size_t count = 0;
  void* arguments[] = {&from, &to, &by, &stride, &count};
  const cudaError_t error = cudaLaunchKernel(scale_strided, dim3(1), dim3(64), arguments);
  cudaGetLastError();  // the next launch should not find it
  checked(error);
}

STABLE_TORCH_LIBRARY(hotloop_right, m) {
  m.def("launched_by_functions(Tensor(a!) x) -> ()");
  m.def("checked_by_pytorch(Tensor(a!) x) -> ()");
  m.def("sized_otherwise(Tensor(a!) x) -> ()");
  m.def("on_cpu(Tensor x) -> Tensor");
  m.def("scale(Tensor x, float by) -> Tensor");
  m.def("split(Tensor x) -> (Tensor, Tensor)");
  m.def("shift_left(Tensor(a!) x) -> ()");
  m.def("sum(Tensor x) -> float");
  m.def("weighed(Tensor x) -> Tensor");
  m.def("set_weights(Tensor x) -> ()");
  m.def("count_calls(Tensor x) -> int");
  m.def("line(Tensor(a!) x) -> ()");
  m.def("greet(Tensor x) -> ()");
}
STABLE_TORCH_LIBRARY_IMPL(hotloop_right, CUDA, m) {
  m.impl("launched_by_functions", TORCH_BOX(&launched_by_functions));
  m.impl("checked_by_pytorch", TORCH_BOX(&checked_by_pytorch));
  m.impl("sized_otherwise", TORCH_BOX(&sized_otherwise));
  m.impl("on_cpu", TORCH_BOX(&on_cpu));
  m.impl("scale", TORCH_BOX(&scale));
  m.impl("split", TORCH_BOX(&split));
  m.impl("shift_left", TORCH_BOX(&shift_left));
  m.impl("sum", TORCH_BOX(&sum));
  m.impl("weighed", TORCH_BOX(&weighed));
  m.impl("set_weights", TORCH_BOX(&set_weights));
  m.impl("count_calls", TORCH_BOX(&count_calls));
  m.impl("line", TORCH_BOX(&line));
  m.impl("greet", TORCH_BOX(&greet));
}
