// Tries every kernel of softmax_best.cu on small matrices, against a sum in double precision:
//
//   hotloop cuda run --check curriculum/fused_softmax/kernels/softmax_best.cu \
//                            curriculum/fused_softmax/kernels/try_softmax_best.cu
//
// With a GPU: nvcc -O3 -std=c++17 -o try softmax_best.cu try_softmax_best.cu && ./try
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "softmax_best.h"

namespace {

struct Trial {
  SoftmaxPlan plan;
  int rows;
  int columns;
  int gap;     // elements between rows, in x
  int behind;  // elements by which x begins behind a multiple of 16 bytes
  int y_behind;
};

void require(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Row 1 rises and begins with -inf, row 2 is -inf only, the others go up and down by 60.
float value(int row, int column, int columns) {
  if (row % 4 == 2) return -INFINITY;
  if (row % 4 == 1) return column < columns / 3 ? -INFINITY : 0.01f * static_cast<float>(column);
  return static_cast<float>((row * 7919 + column * 37) % 121 - 60);
}

float as_float(float x) { return x; }
float as_float(__nv_bfloat16 x) { return __bfloat162float(x); }
void set(float& to, float x) { to = x; }
void set(__nv_bfloat16& to, float x) { to = __float2bfloat16(x); }

int call(const float* x, float* y, const Trial& t, int stride, void* workspace) {
  return softmax_best_float(x, y, t.rows, t.columns, stride, t.columns, workspace, t.plan, nullptr);
}

int call(const __nv_bfloat16* x, __nv_bfloat16* y, const Trial& t, int stride, void* workspace) {
  return softmax_best_bfloat16(x, y, t.rows, t.columns, stride, t.columns, workspace, t.plan,
                               nullptr);
}

// Of a row: how far the worst element is from the truth, in units of `unit` of the true value.
template <typename T>
double worst_of(const T* x, const T* y, int columns, double unit) {
  double maximum = -INFINITY, sum = 0.0, worst = 0.0;
  for (int c = 0; c < columns; ++c) maximum = std::fmax(maximum, as_float(x[c]));
  const double shift = std::isinf(maximum) ? 0.0 : maximum;
  for (int c = 0; c < columns; ++c) sum += std::exp(as_float(x[c]) - shift);
  for (int c = 0; c < columns; ++c) {
    const double truth = sum == 0.0 ? 0.0 : std::exp(as_float(x[c]) - shift) / sum;
    const double off = std::fabs(as_float(y[c]) - truth);
    if (!(off <= 1e-37)) worst = std::fmax(worst, std::isnan(off) ? INFINITY : off / truth / unit);
  }
  return worst;
}

template <typename T>
bool right(const Trial& t, double unit) {
  const int stride = t.columns + t.gap;
  const size_t count = static_cast<size_t>(t.rows) * stride;
  std::vector<T> x(count), y(static_cast<size_t>(t.rows) * t.columns);
  for (int r = 0; r < t.rows; ++r) {
    T* row = &x[static_cast<size_t>(r) * stride];
    for (int c = 0; c < t.columns; ++c) set(row[c], value(r, c, t.columns));
  }
  T *dx, *dy;
  void* workspace;
  require(cudaMalloc(&dx, (count + t.behind) * sizeof(T)));
  require(cudaMalloc(&dy, (y.size() + t.y_behind) * sizeof(T)));
  require(cudaMalloc(&workspace, softmax_best_workspace(t.rows, t.columns, sizeof(T))));
  require(cudaMemcpy(dx + t.behind, x.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  require(static_cast<cudaError_t>(call(dx + t.behind, dy + t.y_behind, t, stride, workspace)));
  require(cudaMemcpy(y.data(), dy + t.y_behind, y.size() * sizeof(T), cudaMemcpyDeviceToHost));
  require(cudaFree(dx));
  require(cudaFree(dy));
  require(cudaFree(workspace));
  double worst = 0.0;
  for (int r = 0; r < t.rows; ++r) {
    const double row = worst_of(&x[static_cast<size_t>(r) * stride],
                                &y[static_cast<size_t>(r) * t.columns], t.columns, unit);
    worst = std::fmax(worst, row);
  }
  if (worst <= 1.0) return true;
  std::printf("plan %d, %d x %d, gap %d, behind %d and %d, %zu bytes an element: %.1f units off\n",
              t.plan, t.rows, t.columns, t.gap, t.behind, t.y_behind, sizeof(T), worst);
  return false;
}

}  // namespace

int main() {
  const Trial trials[] = {
      {softmax_automatic, 1, 1, 0, 0, 0},        // one single element
      {softmax_automatic, 5, 3, 0, 1, 1},        // less than a vector
      {softmax_automatic, 6, 77, 0, 0, 0},       // rows that begin anywhere
      {softmax_automatic, 3, 256, 0, 0, 1},      // output and input begin differently
      {softmax_automatic, 5, 1000, 3, 2, 2},     // rows with a gap
      {softmax_automatic, 4, 1024, 0, 0, 0},     // a warp's registers, full
      {softmax_automatic, 3, 1025, 0, 0, 0},     // the shortest row of a block
      {softmax_automatic, 3, 4095, 0, 0, 0}, 
      {softmax_automatic, 3, 6001, 0, 3, 0}, 
      {softmax_automatic, 2, 9001, 0, 0, 0}, 
      {softmax_automatic, 2, 17003, 0, 1, 1},
      {softmax_automatic, 2, 32768, 0, 0, 0},    // a block's registers, full
      {softmax_cached, 3, 5003, 0, 1, 1},        // shared memory
      {softmax_cached, 2, 33000, 0, 0, 1},       // more of it than 48 KB
      {softmax_split, 5, 9003, 1, 2, 2},         // two blocks a row
      {softmax_split, 3, 5, 0, 1, 1},            // no body at all
      {softmax_automatic, 2, 60001, 0, 0, 0},    // long rows, few of them
  };
  bool all = true;
  for (const Trial& trial : trials) {
    all &= right<float>(trial, 1e-5);
    all &= right<__nv_bfloat16>(trial, 1.0 / 255);
  }
  require(static_cast<cudaError_t>(
      softmax_best_float(nullptr, nullptr, 0, 7, 7, 7, nullptr, softmax_automatic, nullptr)));
  std::puts(all ? "PASS" : "FAIL");
  return all ? 0 : 1;
}
