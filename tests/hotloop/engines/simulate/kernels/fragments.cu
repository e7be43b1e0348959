// Products and loads of fragments, for test_tensor_cores.py: registers in, registers out.
#include "hotloop/tensor_cores.cuh"
template <class T>
__device__ void multiply(const unsigned* a, const unsigned* b, float* d) {
  const int lane = threadIdx.x;
  unsigned fa[4], fb[2];
  float fd[4];
  for (int i = 0; i < 4; ++i) fa[i] = a[4 * lane + i], fd[i] = 1.0f;
  for (int i = 0; i < 2; ++i) fb[i] = b[2 * lane + i];
  hotloop::mma_m16n8k16<T>(fd, fa, fb);
  for (int i = 0; i < 4; ++i) d[4 * lane + i] = fd[i];
}
__global__ void multiply_bf16(const unsigned* a, const unsigned* b, float* d) { multiply<__nv_bfloat16>(a, b, d); }
__global__ void multiply_f16(const unsigned* a, const unsigned* b, float* d) { multiply<__half>(a, b, d); }

template <int count, bool transposed>
__device__ void load(const unsigned short* m, unsigned* r, int pitch) {
  __shared__ alignas(16) unsigned short tile[32 * 72];
  const int lane = threadIdx.x;
  for (int i = lane; i < 32 * 8; i += 32) tile[i / 8 * pitch + i % 8] = m[i];
  __syncwarp();
  const void* row = tile + lane % (8 * count) * pitch;
  unsigned to[count];
  if (count == 1 && transposed) hotloop::ldmatrix_x1_trans(reinterpret_cast<unsigned(&)[1]>(to), row);
  if (count == 1 && !transposed) hotloop::ldmatrix_x1(reinterpret_cast<unsigned(&)[1]>(to), row);
  if (count == 2 && transposed) hotloop::ldmatrix_x2_trans(reinterpret_cast<unsigned(&)[2]>(to), row);
  if (count == 2 && !transposed) hotloop::ldmatrix_x2(reinterpret_cast<unsigned(&)[2]>(to), row);
  if (count == 4 && transposed) hotloop::ldmatrix_x4_trans(reinterpret_cast<unsigned(&)[4]>(to), row);
  if (count == 4 && !transposed) hotloop::ldmatrix_x4(reinterpret_cast<unsigned(&)[4]>(to), row);
  for (int i = 0; i < count; ++i) r[count * lane + i] = to[i];
}
#define LOADS(count)                                                                              \
  __global__ void load_x##count(const unsigned short* m, unsigned* r, int pitch) {                \
    load<count, false>(m, r, pitch);                                                              \
  }                                                                                               \
  __global__ void load_x##count##_trans(const unsigned short* m, unsigned* r, int pitch) {        \
    load<count, true>(m, r, pitch);                                                               \
  }
LOADS(1)
LOADS(2)
LOADS(4)
