// Functions and types with every qualifier that CUDA adds to them.
#include "../check.h"

struct __align__(8) Complex {
  float re, im;
  __host__ __device__ Complex(float r = 0, float i = 0) : re(r), im(i) {}
  __host__ __device__ Complex operator*(const Complex& b) const {
    return {re * b.re - im * b.im, re * b.im + im * b.re};
  }
  __device__ static constexpr int size() { return 2; }
};

template <class T>
struct Base {
  __device__ virtual T value(T x) const { return x; }
  __device__ virtual ~Base() {}
};

template <class T>
struct Twice : Base<T> {
  __device__ T value(T x) const override { return 2 * x; }
};

__device__ __forceinline__ float forced(float x) { return x + 1; }
__device__ __noinline__ float kept(float x) { return x + 2; }
static __inline__ __device__ float inlined(float x) { return x + 3; }
__host__ __device__ constexpr float both(float x) { return x + 4; }
[[nodiscard]] __device__ inline float checked(float x) { return x + 5; }
typedef float (*Function)(float);
__device__ float negate(float x) { return -x; }
__device__ Function chosen = negate;
__constant__ constexpr float kTable[] = {1.0f, 2.0f};

template <typename F>
__global__ void __launch_bounds__(64) apply(float* x, const __grid_constant__ F change) {
  const Twice<float> twice;
  const Base<float>& base = twice;
  const Complex turned = Complex(1, x[threadIdx.x]) * Complex(0, 1);
  float v = change(base.value(x[threadIdx.x]));
  v = forced(kept(inlined(both(checked(v))))) + turned.im + Complex::size() + kTable[1];
  x[threadIdx.x] = chosen(v);
}

int main() {
  const int n = 32;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = i;
  float* dx;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const float factor = 3;
  apply<<<1, n>>>(dx, [=] __device__(float v) { return factor * v; });
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(x.data(), dx, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dx));
  bool right = true;
  for (int i = 0; i < n; ++i) right &= x[i] == -(6.0f * i + 15 + 1 + 2 + 2);
  return verdict(right);
}
