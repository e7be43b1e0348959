// Launches in all the places and shapes in which they are written.
#include <array>
#include <functional>

#include "../check.h"

#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define LAUNCH_AND_CHECK(kernel, ...) \
  do {                                \
    kernel<<<1, 32>>>(__VA_ARGS__);   \
    CHECK_LAUNCH();                   \
  } while (0)

// A comment with add<<<1, 1>>>(nothing); and a string with one, which are no launches.
const char* const kText = "add<<<1, 1>>>(x) __shared__ int s;";
const char* const kRaw = R"(add<<<2, 2>>>(x); asm("nothing");)";

extern "C" __global__ void add(int* x) { x[threadIdx.x] += 1; }

extern "C" {
__global__ void add_two(int* x) { x[threadIdx.x] += 2; }
}

__global__ void add_n(int* x, int n = 3) { x[threadIdx.x] += n; }

__global__ void overloaded(int* x) { x[threadIdx.x] += 1; }
__global__ void overloaded(int* x, int n) { x[threadIdx.x] += n; }

namespace outer {
namespace inner {
template <typename T, typename F = std::plus<T>>
__global__ void combine(T* x, T value) {
  x[threadIdx.x] = F()(x[threadIdx.x], value);
}
void launch(int* x) { combine<int><<<1, 32>>>(x, 1); }
}  // namespace inner
using inner::combine;
}  // namespace outer

template <typename T, size_t kCount>
__global__ void add_array(T* x, std::array<T, kCount> values) {
  x[threadIdx.x] += values[threadIdx.x % kCount];
}

class Launcher {
 public:
  explicit Launcher(int* x) : x_(x), kernel_(add) {}
  void run() const { kernel_<<<1, 32>>>(x_); }
  template <int kTimes>
  void repeat() {
    for (int i = 0; i < kTimes; ++i) add<<<1, 32>>>(x_);
  }
  int* x_;
  void (*kernel_)(int*);
};

dim3 blocks_for(int n, int threads) { return dim3((n + threads - 1) / threads, 1, 1); }

int main() {
  int* dx;
  CHECK(cudaMalloc(&dx, 32 * sizeof(int)));
  CHECK(cudaMemset(dx, 0, 32 * sizeof(int)));
  int expected = 0;

  LAUNCH(add, 1, 32, dx), expected += 1;
  LAUNCH_AND_CHECK(add_two, dx);
  expected += 2;
  if (expected == 3) add_n<<<1, 32>>>(dx), expected += 3;
  overloaded<<<1, 32>>>(dx), expected += 1;
  overloaded<<<1, 32>>>(dx, 4), expected += 4;

  outer::inner::launch(dx), expected += 1;
  outer::combine<<<1, 32>>>(dx, 2), expected += 2;
  ::outer::inner::combine<int, std::minus<int>><<<1, 32>>>(dx, 1), expected -= 1;
  add_array<int, (4 > 3 ? 2 : 1)><<<1, 32>>>(dx, {{5, 5}}), expected += 5;
  add_array<<<1, 32>>>(dx, std::array<int, 3>{1, 1, 1}), expected += 1;

  add<<<dim3(1, 1), dim3{32, 1, 1}, sizeof(std::array<int, 2>), nullptr>>>(dx), expected += 1;
  add<<<blocks_for(32, 32), dim3(32, 1)>>>(dx), expected += 1;
  add
      <<<
          1,
          32  // a comment, with >>> in it
      >>>
      (
          dx);
  expected += 1;

  Launcher launcher(dx);
  launcher.run(), expected += 1;
  launcher.repeat<2>(), expected += 2;
  launcher.kernel_<<<1, 32>>>(dx), expected += 1;
  Launcher* const pointer = &launcher;
  pointer->kernel_<<<1, 32>>>(pointer->x_), expected += 1;
  void (*const table[])(int*) = {add, add_two};
  table[1]<<<1, 32>>>(dx), expected += 2;
  (expected > 0 ? add : add_two)<<<1, 32>>>(dx), expected += 1;
  const auto lambda = [&](int n) { add_n<<<1, 32>>>(dx, n); };
  lambda(7), expected += 7;
  const unsigned char small = 32;
  const long large = 1;
  add<<<large, small>>>(dx), expected += 1;
  CHECK_LAUNCH();

  std::vector<int> x(32);
  CHECK(cudaMemcpy(x.data(), dx, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  bool right = kText[3] == '<' && kRaw[3] == '<';
  for (int i = 0; i < 32; ++i) right &= x[i] == expected;
  return verdict(right);
}
