// Shared memory in all the forms in which it is declared.
#include "../check.h"

struct Pair {
  int key;
  float value;
};
typedef float Row[16];
using Matrix = float[2][16];

__device__ int through_shared(int v) {
  static __shared__ int cell;  // one in each kernel that calls this
  __syncthreads();
  if (threadIdx.x == 0) cell = v;
  __syncthreads();
  return cell;
}

template <typename T>
struct Scratch {
  __device__ T* get() {
    __shared__ T data[16];
    return data;
  }
};

template <typename T>
struct Dynamic {
  __device__ operator T*() {
    extern __shared__ int dynamic_memory[];
    return reinterpret_cast<T*>(dynamic_memory);
  }
};

__global__ void forms(int* out) {
  __shared__ Pair pairs[16];
  __shared__ float grid[4][4], line[16], single;
  __shared__ Row row;
  __shared__ Matrix matrix;
  __shared__ alignas(16) float aligned_[16];
  __shared__ __align__(16) unsigned char bytes[16 * sizeof(int)];
  volatile __shared__ int counted;
  __shared__ struct {
    int a, b;
  } both;
  __shared__ unsigned long long wide[16], *pointer;
  const int t = threadIdx.x;
  pairs[t] = {t, 0.5f * t};
  grid[t / 4][t % 4] = t;
  line[t] = t;
  row[t] = t;
  matrix[1][t] = t;
  aligned_[t] = t;
  reinterpret_cast<int*>(bytes)[t] = t;
  wide[t] = t;
  float* scratch = Scratch<float>().get();
  int* integers = Scratch<int>().get();
  scratch[t] = t;
  integers[t] = t;
  if (t == 0) {
    single = 1;
    counted = 2;
    both.a = 3;
    both.b = 4;
    pointer = wide;
  }
  __syncthreads();
  const int u = 15 - t;
  int sum = pairs[u].key + static_cast<int>(2 * pairs[u].value) + static_cast<int>(line[u]);
  sum += static_cast<int>(grid[u / 4][u % 4] + row[u] + matrix[1][u] + scratch[u] + aligned_[u]);
  sum += reinterpret_cast<int*>(bytes)[u] + static_cast<int>(pointer[u]) + integers[u];
  sum += static_cast<int>(single) + counted + both.a + both.b;
  out[t] = sum + through_shared(t + 5) + through_shared(1);
}

__global__ void dynamic(int* out, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  float4* vectors = reinterpret_cast<float4*>(raw);
  int* counts = reinterpret_cast<int*>(raw + n * sizeof(float4));
  const int t = threadIdx.x;
  vectors[t] = make_float4(t, 1, 2, 3);
  counts[t] = t;
  __syncthreads();
  const float4 v = vectors[n - 1 - t];
  int* const whole = Dynamic<int>();
  out[t] = static_cast<int>(v.x + v.y + v.z + v.w) + counts[n - 1 - t] + through_shared(2);
  if (whole != reinterpret_cast<int*>(raw)) out[t] = -1;
}

int main() {
  const int n = 16;
  std::vector<int> first(n), second(n);
  int* dout;
  CHECK(cudaMalloc(&dout, n * sizeof(int)));
  forms<<<1, n>>>(dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(first.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  dynamic<<<2, n, n * (sizeof(float4) + sizeof(int))>>>(dout, n);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(second.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(dout));
  bool right = true;
  for (int t = 0; t < n; ++t) {
    const int u = n - 1 - t;
    right &= first[t] == 11 * u + 1 + 2 + 3 + 4 + 5 + 1;
    right &= second[t] == u + 6 + u + 2;
  }
  return verdict(right);
}
