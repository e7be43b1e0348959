// Softmax for rows of 1 to millions of elements, in float32 and bfloat16. Read it after your own
// attempt: each row length gets the kernel that suits it.
//
// A softmax moves the fewest bytes when each element is read once and written once. Between the two
// the row must be kept somewhere, and where there is room for it decides the kernel:
//
//   up to 1024 elements      in the registers of a warp; nothing is shared, nobody waits
//   up to 32768              in the registers of a block, 32 elements a thread
//   as far as it has room    in shared memory: 227 KB on an H100, when one asks for it
//   beyond, or for few rows  nowhere. Two kernels, several blocks a row, read it twice; rows are
//                            taken in groups that fit into the L2 cache, for the second time's sake
//
// What all of them have in common:
//
// - Every load of a row's body is 16 bytes wide, wherever the row begins: the elements before its
//   first multiple of 16 bytes, and those behind its last, are loaded one by one, one a thread.
// - All loads of a thread are issued before the first is used, so that many bytes are under way.
// - Input and output are touched once: __ldcs and __stcs ask the caches not to keep them.
// - Sums and exponentials are float32, whatever the tensor is.
#include "softmax_best.h"

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <math_constants.h>

#include <algorithm>
#include <climits>

namespace {

constexpr int kWarp = 32;
constexpr unsigned kAll = 0xffffffffu;

// --- 16 bytes of a row ---------------------------------------------------------------------------

template <typename T>
constexpr int kVec = 16 / sizeof(T);

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

__device__ __forceinline__ void from_float(float x, float& to) { to = x; }
__device__ __forceinline__ void from_float(float x, __nv_bfloat16& to) {
  to = __float2bfloat16_rn(x);
}

__device__ __forceinline__ void unpack(uint4 raw, float (&v)[4]) {
  v[0] = __uint_as_float(raw.x);
  v[1] = __uint_as_float(raw.y);
  v[2] = __uint_as_float(raw.z);
  v[3] = __uint_as_float(raw.w);
}

// A bfloat16 is the upper half of a float32.
__device__ __forceinline__ void unpack_two(unsigned raw, float& low, float& high) {
  low = __uint_as_float(raw << 16);
  high = __uint_as_float(raw & 0xffff0000u);
}

__device__ __forceinline__ void unpack(uint4 raw, float (&v)[8]) {
  unpack_two(raw.x, v[0], v[1]);
  unpack_two(raw.y, v[2], v[3]);
  unpack_two(raw.z, v[4], v[5]);
  unpack_two(raw.w, v[6], v[7]);
}

__device__ __forceinline__ uint4 pack(const float (&v)[4]) {
  return make_uint4(__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]),
                    __float_as_uint(v[3]));
}

__device__ __forceinline__ unsigned pack_two(float low, float high) {
  const unsigned short a = __bfloat16_as_ushort(__float2bfloat16_rn(low));
  const unsigned short b = __bfloat16_as_ushort(__float2bfloat16_rn(high));
  return static_cast<unsigned>(b) << 16 | a;
}

__device__ __forceinline__ uint4 pack(const float (&v)[8]) {
  return make_uint4(pack_two(v[0], v[1]), pack_two(v[2], v[3]), pack_two(v[4], v[5]),
                    pack_two(v[6], v[7]));
}

// --- a row ---------------------------------------------------------------------------------------

// One row, taken apart: a body of whole vectors that begin on 16 bytes, and edges before and behind
// it, of less than a vector each.
template <typename T>
struct Row {
  const T* in;
  T* out;
  int head;     // elements before the body
  int vectors;  // in the body
  int edges;    // elements before and behind the body
  bool wide;    // the output's body begins on 16 bytes too

  __device__ Row(const T* x, T* y, int columns) : in(x), out(y) {
    const int beyond = static_cast<int>(reinterpret_cast<size_t>(x) % 16 / sizeof(T));
    head = min(beyond == 0 ? 0 : kVec<T> - beyond, columns);
    vectors = (columns - head) / kVec<T>;
    edges = columns - vectors * kVec<T>;
    wide = reinterpret_cast<size_t>(y + head) % 16 == 0;
  }

  // The column of an edge element.
  __device__ int column(int edge) const { return edge < head ? edge : edge + vectors * kVec<T>; }

  __device__ float edge(int number) const { return to_float(in[column(number)]); }

  __device__ void write_edge(int number, float value) const {
    from_float(value, out[column(number)]);
  }

  // For the last time.
  __device__ uint4 load(int vector) const { return __ldcs(body() + vector); }

  // It will be wanted again.
  __device__ uint4 load_and_keep(int vector) const { return body()[vector]; }

  __device__ void write(int vector, const float (&values)[kVec<T>]) const {
    T* to = out + head + vector * kVec<T>;
    if (wide) {
      __stcs(reinterpret_cast<uint4*>(to), pack(values));
      return;
    }
#pragma unroll
    for (int i = 0; i < kVec<T>; ++i) from_float(values[i], to[i]);
  }

 private:
  __device__ const uint4* body() const { return reinterpret_cast<const uint4*>(in + head); }
};

// --- maximum and sum -----------------------------------------------------------------------------

// What is known of some elements: their maximum, and the sum of exp(x - maximum).
struct Partial {
  float maximum;
  float sum;
};

__device__ __forceinline__ Partial no_elements() { return {-CUDART_INF_F, 0.0f}; }

// In a row of -inf only, -inf - (-inf) would be NaN. Subtract 0 there: every exponential is 0.
__device__ __forceinline__ float shift_of(float maximum) {
  return maximum == -CUDART_INF_F ? 0.0f : maximum;
}

__device__ __forceinline__ float scale_of(float sum) { return sum == 0.0f ? 0.0f : 1.0f / sum; }

struct Largest {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Total {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct Merged {
  __device__ Partial operator()(Partial a, Partial b) const {
    Partial both;
    both.maximum = fmaxf(a.maximum, b.maximum);
    const float shift = shift_of(both.maximum);
    both.sum = a.sum * __expf(a.maximum - shift) + b.sum * __expf(b.maximum - shift);
    return both;
  }
};

__device__ __forceinline__ float from_lane(float value, int offset) {
  return __shfl_xor_sync(kAll, value, offset);
}

__device__ __forceinline__ Partial from_lane(Partial value, int offset) {
  value.maximum = from_lane(value.maximum, offset);
  value.sum = from_lane(value.sum, offset);
  return value;
}

template <typename V, typename Operation>
__device__ __forceinline__ V reduce_warp(V value, Operation combine) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) {
    value = combine(value, from_lane(value, offset));
  }
  return value;
}

// Every thread gets the result of its team: of its warp, or of its block. There is one barrier, and
// one array for each operation: no kernel reduces twice by the same one.
template <int kTeam, typename V, typename Operation>
__device__ __forceinline__ V reduce(V value, V neutral, Operation combine) {
  value = reduce_warp(value, combine);
  if constexpr (kTeam > kWarp) {
    constexpr int kWarps = kTeam / kWarp;
    __shared__ V of_warp[kWarps];
    const int lane = threadIdx.x % kWarp;
    if (lane == 0) of_warp[threadIdx.x / kWarp] = value;
    __syncthreads();
    value = reduce_warp(lane < kWarps ? of_warp[lane] : neutral, combine);
  }
  return value;
}

// The online recurrence for a few values at once: the sum is rescaled when the maximum increases.
template <int kCount>
__device__ __forceinline__ void add(Partial& known, const float (&values)[kCount]) {
  float maximum = known.maximum;
#pragma unroll
  for (int i = 0; i < kCount; ++i) maximum = fmaxf(maximum, values[i]);
  const float shift = shift_of(maximum);
  float sum = known.sum * __expf(known.maximum - shift);
#pragma unroll
  for (int i = 0; i < kCount; ++i) sum += __expf(values[i] - shift);
  known = {maximum, sum};
}

template <int kCount>
__device__ __forceinline__ void finish(float (&values)[kCount], float shift, float scale) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) values[i] = __expf(values[i] - shift) * scale;
}

// --- rows that are kept in registers -------------------------------------------------------------

// kTeam threads a row, kTeams rows a block; a thread keeps kPer elements, and one of the edges.
template <typename T, int kTeam, int kTeams, int kPer>
__global__ void __launch_bounds__(kTeam* kTeams)
    kept_rows(const T* x, T* y, int rows, int columns, long long x_stride, long long y_stride) {
  static_assert(kTeams == 1 || kTeam == kWarp, "a barrier is for all teams of a block");
  constexpr int kVectors = kPer / kVec<T>;
  const int t = threadIdx.x % kTeam;
  const long long number = static_cast<long long>(blockIdx.x) * kTeams + threadIdx.x / kTeam;
  if (number >= rows) return;  // a whole warp, and never with a barrier ahead
  const Row<T> row(x + number * x_stride, y + number * y_stride, columns);

  float kept[kVectors][kVec<T>];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int v = k * kTeam + t;
    if (v < row.vectors) {
      unpack(row.load(v), kept[k]);
    } else {
#pragma unroll
      for (int i = 0; i < kVec<T>; ++i) kept[k][i] = -CUDART_INF_F;
    }
  }
  float edge = t < row.edges ? row.edge(t) : -CUDART_INF_F;

  float maximum = edge;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
#pragma unroll
    for (int i = 0; i < kVec<T>; ++i) maximum = fmaxf(maximum, kept[k][i]);
  }
  const float shift = shift_of(reduce<kTeam>(maximum, -CUDART_INF_F, Largest()));
  edge = __expf(edge - shift);
  float sum = edge;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
#pragma unroll
    for (int i = 0; i < kVec<T>; ++i) {
      kept[k][i] = __expf(kept[k][i] - shift);
      sum += kept[k][i];
    }
  }
  const float scale = scale_of(reduce<kTeam>(sum, 0.0f, Total()));
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    const int v = k * kTeam + t;
#pragma unroll
    for (int i = 0; i < kVec<T>; ++i) kept[k][i] *= scale;
    if (v < row.vectors) row.write(v, kept[k]);
  }
  if (t < row.edges) row.write_edge(t, edge * scale);
}

// --- rows that are kept in shared memory ---------------------------------------------------------

constexpr int kCachedThreads = 1024;
constexpr int kCachedBatch = 4;  // vectors of a thread under way at the same time

extern __shared__ uint4 cache[];

// A thread reads from shared memory only what it has put there itself: no barrier is needed for it.
template <typename T>
__global__ void __launch_bounds__(kCachedThreads)
    cached_rows(const T* x, T* y, int columns, long long x_stride, long long y_stride) {
  const Row<T> row(x + blockIdx.x * x_stride, y + blockIdx.x * y_stride, columns);
  const int t = threadIdx.x;
  Partial mine = no_elements();
  for (int first = t; first < row.vectors; first += kCachedThreads * kCachedBatch) {
    uint4 raw[kCachedBatch];
#pragma unroll
    for (int b = 0; b < kCachedBatch; ++b) {
      const int v = first + b * kCachedThreads;
      if (v < row.vectors) raw[b] = row.load(v);
    }
#pragma unroll
    for (int b = 0; b < kCachedBatch; ++b) {
      const int v = first + b * kCachedThreads;
      if (v >= row.vectors) break;
      cache[v] = raw[b];
      float values[kVec<T>];
      unpack(raw[b], values);
      add(mine, values);
    }
  }
  float edge[1] = {t < row.edges ? row.edge(t) : -CUDART_INF_F};
  add(mine, edge);

  const Partial whole = reduce<kCachedThreads>(mine, no_elements(), Merged());
  const float shift = shift_of(whole.maximum), scale = scale_of(whole.sum);
  for (int v = t; v < row.vectors; v += kCachedThreads) {
    float values[kVec<T>];
    unpack(cache[v], values);
    finish(values, shift, scale);
    row.write(v, values);
  }
  finish(edge, shift, scale);
  if (t < row.edges) row.write_edge(t, edge[0]);
}

// --- rows that are read twice --------------------------------------------------------------------

constexpr int kSplitThreads = 256;
constexpr int kSplitBatch = 4;

// The vectors of a row that one block has to do with.
struct Part {
  int first;
  int end;
  __device__ Part(int vectors, int splits, int number) {
    const int size = (vectors + splits - 1) / splits;
    first = min(number * size, vectors);
    end = min(first + size, vectors);
  }
};

// partials[row][split]: maximum and sum of a part of a row. Blocks: rows × splits.
template <typename T>
__global__ void __launch_bounds__(kSplitThreads)
    partial_rows(const T* x, float2* partials, int splits, int columns, long long x_stride) {
  const int number = blockIdx.x / splits, split = blockIdx.x % splits;
  const Row<T> row(x + number * x_stride, nullptr, columns);
  const Part part(row.vectors, splits, split);
  const int t = threadIdx.x;
  Partial mine = no_elements();
  for (int first = part.first + t; first < part.end; first += kSplitThreads * kSplitBatch) {
    uint4 raw[kSplitBatch];
#pragma unroll
    for (int b = 0; b < kSplitBatch; ++b) {
      const int v = first + b * kSplitThreads;
      if (v < part.end) raw[b] = row.load_and_keep(v);
    }
#pragma unroll
    for (int b = 0; b < kSplitBatch; ++b) {
      if (first + b * kSplitThreads >= part.end) break;
      float values[kVec<T>];
      unpack(raw[b], values);
      add(mine, values);
    }
  }
  if (split == 0 && t < row.edges) {
    const float edge[1] = {row.edge(t)};
    add(mine, edge);
  }
  mine = reduce<kSplitThreads>(mine, no_elements(), Merged());
  if (t == 0) partials[blockIdx.x] = make_float2(mine.maximum, mine.sum);
}

// Every block merges the partials of its row itself, and writes its part of it.
template <typename T>
__global__ void __launch_bounds__(kSplitThreads)
    finish_rows(const T* x, T* y, const float2* partials, int splits, int columns,
                long long x_stride, long long y_stride) {
  const int number = blockIdx.x / splits, split = blockIdx.x % splits;
  const Row<T> row(x + number * x_stride, y + number * y_stride, columns);
  const Part part(row.vectors, splits, split);
  const int t = threadIdx.x;
  Partial mine = no_elements();
  if (t < splits) {
    const float2 known = partials[static_cast<long long>(number) * splits + t];
    mine = {known.x, known.y};
  }
  const Partial whole = reduce<kSplitThreads>(mine, no_elements(), Merged());
  const float shift = shift_of(whole.maximum), scale = scale_of(whole.sum);
  for (int first = part.first + t; first < part.end; first += kSplitThreads * kSplitBatch) {
    uint4 raw[kSplitBatch];
#pragma unroll
    for (int b = 0; b < kSplitBatch; ++b) {
      const int v = first + b * kSplitThreads;
      if (v < part.end) raw[b] = row.load(v);
    }
#pragma unroll
    for (int b = 0; b < kSplitBatch; ++b) {
      const int v = first + b * kSplitThreads;
      if (v >= part.end) break;
      float values[kVec<T>];
      unpack(raw[b], values);
      finish(values, shift, scale);
      row.write(v, values);
    }
  }
  if (split == 0 && t < row.edges) {
    float edge[1] = {row.edge(t)};
    finish(edge, shift, scale);
    row.write_edge(t, edge[0]);
  }
}

// --- which kernel --------------------------------------------------------------------------------

constexpr int kMostKept = 32 * 1024;
constexpr size_t kOwnShared = 1024;  // bytes that a kernel may use beside its cached row

template <typename T>
struct Job {
  const T* x;
  T* y;
  int rows;
  int columns;
  long long x_stride;
  long long y_stride;
  float2* workspace;
  cudaStream_t stream;
};

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

template <typename T>
size_t cached_bytes(long long columns) {
  return columns / kVec<T> * 16;
}

template <typename T, int kTeam, int kTeams, int kPer>
void launch_kept(const Job<T>& job) {
  const int blocks = (job.rows + kTeams - 1) / kTeams;
  kept_rows<T, kTeam, kTeams, kPer><<<blocks, kTeam * kTeams, 0, job.stream>>>(
      job.x, job.y, job.rows, job.columns, job.x_stride, job.y_stride);
}

template <typename T>
cudaError_t keep(const Job<T>& job) {
  if (job.columns <= 256) launch_kept<T, kWarp, 4, 8>(job);
  else if (job.columns <= 1024) launch_kept<T, kWarp, 4, 32>(job);
  else if (job.columns <= 2048) launch_kept<T, 128, 1, 16>(job);
  else if (job.columns <= 4096) launch_kept<T, 128, 1, 32>(job);
  else if (job.columns <= 8192) launch_kept<T, 256, 1, 32>(job);
  else if (job.columns <= 16384) launch_kept<T, 512, 1, 32>(job);
  else launch_kept<T, 1024, 1, 32>(job);
  return cudaGetLastError();
}

template <typename T>
cudaError_t cached(const Job<T>& job) {
  const size_t bytes = cached_bytes<T>(job.columns);
  // More than 48 KB must be asked for, once for each kernel.
  const cudaError_t error = cudaFuncSetAttribute(
      cached_rows<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (error != cudaSuccess) return error;
  cached_rows<T><<<job.rows, kCachedThreads, bytes, job.stream>>>(job.x, job.y, job.columns,
                                                                  job.x_stride, job.y_stride);
  return cudaGetLastError();
}

// Rows that go into one pair of launches, and blocks that share one of them.
struct Groups {
  int rows;
  int splits;
};

Groups groups_of(long long rows, long long columns, size_t element_bytes) {
  // Half of the L2 cache for what is read, so that the results have the other half to pass through.
  const long long half = attribute(cudaDevAttrL2CacheSize) / 2;
  const long long row_bytes = columns * static_cast<long long>(element_bytes);
  const long long group = std::clamp<long long>(half / row_bytes, 1, rows);
  // Enough blocks for two per SM, none with less than 4096 elements.
  const long long blocks = 2 * std::max(1, attribute(cudaDevAttrMultiProcessorCount));
  const long long wanted = (blocks + group - 1) / group;
  const long long sensible = std::max(1LL, columns / 4096);
  const long long splits = std::min({wanted, sensible, static_cast<long long>(kSplitThreads)});
  return {static_cast<int>(group), static_cast<int>(splits)};
}

template <typename T>
cudaError_t split(const Job<T>& job) {
  const Groups groups = groups_of(job.rows, job.columns, sizeof(T));
  for (long long first = 0; first < job.rows; first += groups.rows) {
    const int blocks =
        static_cast<int>(std::min<long long>(groups.rows, job.rows - first)) * groups.splits;
    const T* x = job.x + first * job.x_stride;
    partial_rows<T><<<blocks, kSplitThreads, 0, job.stream>>>(x, job.workspace, groups.splits,
                                                              job.columns, job.x_stride);
    finish_rows<T><<<blocks, kSplitThreads, 0, job.stream>>>(
        x, job.y + first * job.y_stride, job.workspace, groups.splits, job.columns, job.x_stride,
        job.y_stride);
  }
  return cudaGetLastError();
}

template <typename T>
SoftmaxPlan choose(const Job<T>& job) {
  if (job.columns <= kMostKept) return softmax_kept;
  if (job.rows < attribute(cudaDevAttrMultiProcessorCount)) return softmax_split;
  const size_t room = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  return cached_bytes<T>(job.columns) + kOwnShared <= room ? softmax_cached : softmax_split;
}

template <typename T>
int softmax(const T* x, T* y, long long rows, long long columns, long long x_stride,
            long long y_stride, void* workspace, int plan, void* stream) {
  if (rows < 0 || columns < 0 || rows > INT_MAX || columns > INT_MAX) return cudaErrorInvalidValue;
  if (rows == 0 || columns == 0) return cudaSuccess;  // a grid of 0 blocks is an error
  const Job<T> job = {x,
                      y,
                      static_cast<int>(rows),
                      static_cast<int>(columns),
                      x_stride,
                      y_stride,
                      static_cast<float2*>(workspace),
                      static_cast<cudaStream_t>(stream)};
  if (plan == softmax_automatic) plan = choose(job);
  if (plan == softmax_cached) return cached(job);
  if (plan == softmax_split) return split(job);
  return columns <= kMostKept ? keep(job) : cudaErrorInvalidValue;
}

}  // namespace

extern "C" int softmax_best_float(const float* x, float* y, long long rows, long long columns,
                                  long long x_stride, long long y_stride, void* workspace,
                                  int plan, void* stream) {
  return softmax(x, y, rows, columns, x_stride, y_stride, workspace, plan, stream);
}

extern "C" int softmax_best_bfloat16(const void* x, void* y, long long rows, long long columns,
                                     long long x_stride, long long y_stride, void* workspace,
                                     int plan, void* stream) {
  return softmax(static_cast<const __nv_bfloat16*>(x), static_cast<__nv_bfloat16*>(y), rows,
                 columns, x_stride, y_stride, workspace, plan, stream);
}

extern "C" size_t softmax_best_workspace(long long rows, long long columns,
                                         size_t element_bytes) {
  if (rows <= 0 || columns <= 0) return 0;
  const Groups groups = groups_of(rows, columns, element_bytes);
  return sizeof(float2) * groups.rows * groups.splits;
}
