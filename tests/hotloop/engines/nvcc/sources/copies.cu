// Copies with loads of several widths; every kernel is what its name says.

namespace {
__global__ void hidden(float* x) { x[threadIdx.x] *= 2.0f; }
}  // namespace

template <typename T, int kShift>
__global__ void through_shared(const T* __restrict__ in, T* __restrict__ out, int n) {
  __shared__ T tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) tile[threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = tile[(threadIdx.x + kShift) % 256];
}

__global__ void scalar(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1.0f;
}

__global__ void vector_and_tail(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4*>(in)[i];
    v.x += v.y + v.z + v.w;
    out[i] = v.x;
  } else if (i < n / 4 + n % 4) {
    out[i] = in[n / 4 * 3 + i];
  }
}

extern "C" __global__ void bytes(unsigned char* p) { p[threadIdx.x] = 1 + p[threadIdx.x + 1]; }

__device__ __noinline__ float4 fetch(const float4* p, int i) { return p[i]; }
__global__ void by_call(const float4* in, float* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = fetch(in, i * n).x;
}

template __global__ void through_shared<float4, 1>(const float4*, float4*, int);

void launch(float* x) { hidden<<<1, 32>>>(x); }
