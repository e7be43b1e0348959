// Hopper's asynchronous instructions, for nvcc (sm_90a) and for the simulator: mbarriers, bulk copies by the tensor
// memory accelerator (TMA), and matrix products of a warp group (wgmma).
//
// On a GPU each function is one PTX instruction; mbarrier_wait_parity is a loop around one. In the simulator each is a
// call of the checker, which knows what the instruction orders and what it leaves open.
// Source: PTX ISA, "mbarrier", "cp.async.bulk", "wgmma", "setmaxnreg", "elect.sync", "barrier".
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

#include <type_traits>

#ifdef HOTLOOP_SIMULATOR
#define HOTLOOP_ASYNC HOTLOOP_INLINE __device__
#define HOTLOOP_ON_GPU(...)
#define HOTLOOP_IN_SIMULATOR(...) __VA_ARGS__
#else
#define HOTLOOP_ASYNC static __device__ __forceinline__
#define HOTLOOP_ON_GPU(...) __VA_ARGS__
#define HOTLOOP_IN_SIMULATOR(...)
#endif

namespace hotloop {

#ifdef HOTLOOP_SIMULATOR
// What all lanes of a warp execute together (.sync.aligned). Lanes that meet in two kinds of it are a finding.
enum aligned : unsigned { kElect = 8, kRegisters, kProductWait, kProduct };
HOTLOOP_ASYNC void with_all_lanes(aligned kind, unsigned value = 1) { hotloop_wait(HOTLOOP_BALLOT, 0xffffffffu, value, kind << 8); }
#endif

// A window address of shared memory, as PTX wants it.
HOTLOOP_ON_GPU(HOTLOOP_ASYNC uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); })

// --- mbarriers ---------------------------------------------------------------------------------------------

// Lies in shared memory. Only the functions below may use its bytes.
struct alignas(8) mbarrier {
  uint64_t opaque;
};

// By one thread. count: the arrivals that end a phase.
HOTLOOP_ASYNC void mbarrier_init(mbarrier* b, unsigned count) {
  HOTLOOP_IN_SIMULATOR(hotloop_mbarrier(0, b, count);)
  HOTLOOP_ON_GPU(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");)
}

HOTLOOP_ASYNC void mbarrier_inval(mbarrier* b) {
  HOTLOOP_IN_SIMULATOR(hotloop_mbarrier(4, b, 0);)
  HOTLOOP_ON_GPU(asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(b)) : "memory");)
}

HOTLOOP_ASYNC void mbarrier_arrive(mbarrier* b) {
  HOTLOOP_IN_SIMULATOR(hotloop_mbarrier(1, b, 0);)
  HOTLOOP_ON_GPU(asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");)
}

// Arrive, and make the phase wait for so many bytes of copies.
HOTLOOP_ASYNC void mbarrier_arrive_expect_tx(mbarrier* b, unsigned bytes) {
  HOTLOOP_IN_SIMULATOR(hotloop_mbarrier(2, b, bytes);)
  HOTLOOP_ON_GPU(asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");)
}

HOTLOOP_ASYNC void mbarrier_expect_tx(mbarrier* b, unsigned bytes) {
  HOTLOOP_IN_SIMULATOR(hotloop_mbarrier(3, b, bytes);)
  HOTLOOP_ON_GPU(asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");)
}

// Whether the phase of this parity is complete. Phases have the parities 0, 1, 0, …; before the first one ends,
// the phase "before" it, of parity 1, counts as complete. test does not wait; try may wait for a while, and may give up.
HOTLOOP_ASYNC bool mbarrier_test_wait_parity(mbarrier* b, unsigned parity) {
  HOTLOOP_IN_SIMULATOR(return hotloop_wait(HOTLOOP_MBARRIER, parity, reinterpret_cast<size_t>(b), 1) != 0;)
  HOTLOOP_ON_GPU(uint32_t done; asm volatile(
      "{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}\n"
      : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory"); return done;)
}

HOTLOOP_ASYNC bool mbarrier_try_wait_parity(mbarrier* b, unsigned parity) {
  HOTLOOP_IN_SIMULATOR(return hotloop_wait(HOTLOOP_MBARRIER, parity, reinterpret_cast<size_t>(b), 0) != 0;)
  HOTLOOP_ON_GPU(uint32_t done; asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}\n"
      : "=r"(done) : "r"(shared_address(b)), "r"(parity) : "memory"); return done;)
}

HOTLOOP_ASYNC void mbarrier_wait_parity(mbarrier* b, unsigned parity) {
  HOTLOOP_IN_SIMULATOR(hotloop_wait(HOTLOOP_MBARRIER, parity, reinterpret_cast<size_t>(b), 2);)
  HOTLOOP_ON_GPU(while (!mbarrier_try_wait_parity(b, parity)) {})
}

// --- fences, roles, registers ------------------------------------------------------------------------------

// After mbarrier_init, before a copy completes on the barrier.
HOTLOOP_ASYNC void fence_mbarrier_init() {
  HOTLOOP_IN_SIMULATOR(hotloop_fence_proxy(1);)
  HOTLOOP_ON_GPU(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");)
}

// After ordinary stores to shared memory, before a bulk store or wgmma reads what they have written.
HOTLOOP_ASYNC void fence_proxy_async() {
  HOTLOOP_IN_SIMULATOR(hotloop_fence_proxy(0);)
  HOTLOOP_ON_GPU(asm volatile("fence.proxy.async.shared::cta;" ::: "memory");)
}

// True for one lane of the warp. By all its lanes.
HOTLOOP_ASYNC bool elect_sync() {
  HOTLOOP_IN_SIMULATOR(with_all_lanes(kElect); return hotloop_index(12) == 0;)
  HOTLOOP_ON_GPU(uint32_t is_elected; asm volatile(
      "{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.b32 %0, 1, 0, p;\n}\n" : "=r"(is_elected)); return is_elected;)
}

// A barrier of so many threads, a multiple of 32; number: 1 to 15. Who only arrives does not wait.
HOTLOOP_ASYNC void barrier_sync(unsigned number, unsigned threads) {
  HOTLOOP_IN_SIMULATOR(hotloop_wait(HOTLOOP_NAMED, threads, number, 0);)
  HOTLOOP_ON_GPU(asm volatile("barrier.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");)
}
HOTLOOP_ASYNC void barrier_arrive(unsigned number, unsigned threads) {
  HOTLOOP_IN_SIMULATOR(hotloop_named_arrive(number, threads);)
  HOTLOOP_ON_GPU(asm volatile("barrier.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");)
}

// Registers of each thread of a warp group; ptxas drops them without __launch_bounds__(threads, blocks).
template <int registers>
HOTLOOP_ASYNC void setmaxnreg_inc() {
  static_assert(registers >= 24 && registers <= 256 && registers % 8 == 0, "24 to 256 registers, a multiple of 8");
  HOTLOOP_IN_SIMULATOR(with_all_lanes(kRegisters, registers);)
  HOTLOOP_ON_GPU(asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));)
}
template <int registers>
HOTLOOP_ASYNC void setmaxnreg_dec() {
  static_assert(registers >= 24 && registers <= 256 && registers % 8 == 0, "24 to 256 registers, a multiple of 8");
  HOTLOOP_IN_SIMULATOR(with_all_lanes(kRegisters, registers);)
  HOTLOOP_ON_GPU(asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));)
}

// --- bulk copies -------------------------------------------------------------------------------------------

// From global to shared memory; the bytes count at the barrier. Addresses and bytes are multiples of 16.
HOTLOOP_ASYNC void bulk_load(void* shared, const void* global, unsigned bytes, mbarrier* b) {
  HOTLOOP_IN_SIMULATOR(hotloop_bulk(0, shared, global, bytes, b);)
  HOTLOOP_ON_GPU(asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(shared)),
      "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(b)) : "memory");)
}

// From shared to global memory, as a part of the thread's open group.
HOTLOOP_ASYNC void bulk_store(void* global, const void* shared, unsigned bytes) {
  HOTLOOP_IN_SIMULATOR(hotloop_bulk(1, shared, global, bytes, nullptr);)
  HOTLOOP_ON_GPU(asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(global)),
                              "r"(shared_address(shared)), "r"(bytes) : "memory");)
}

HOTLOOP_ASYNC void bulk_commit_group() {
  HOTLOOP_IN_SIMULATOR(hotloop_bulk_group(0, 0);)
  HOTLOOP_ON_GPU(asm volatile("cp.async.bulk.commit_group;" ::: "memory");)
}
// Until all groups of the thread but the newest ones have been read from shared memory.
template <int newest>
HOTLOOP_ASYNC void bulk_wait_group_read() {
  HOTLOOP_IN_SIMULATOR(hotloop_bulk_group(1, newest);)
  HOTLOOP_ON_GPU(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(newest) : "memory");)
}
// Until they are complete: their writes can be seen.
template <int newest>
HOTLOOP_ASYNC void bulk_wait_group() {
  HOTLOOP_IN_SIMULATOR(hotloop_bulk_group(2, newest);)
  HOTLOOP_ON_GPU(asm volatile("cp.async.bulk.wait_group %0;" ::"n"(newest) : "memory");)
}

// The tile of a tensor that begins at element (x, y, …), x along the dimension whose elements are neighbors. Elements
// outside of the tensor are zeros. The map is a `const __grid_constant__ CUtensorMap` parameter; shared: a multiple of 128.
#define HOTLOOP_TENSOR(rank, parameters, in_simulator, places, ...)                                                               \
  HOTLOOP_ASYNC void tensor_load(void* shared, const CUtensorMap* map, mbarrier* b, HOTLOOP_UNPACK parameters) {                  \
    HOTLOOP_IN_SIMULATOR(hotloop_bulk_tensor(0, shared, map, b, HOTLOOP_UNPACK in_simulator);)                                    \
    HOTLOOP_ON_GPU(asm volatile("cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes "         \
                                "[%0], [%1, {" places "}], [%2];" ::"r"(shared_address(shared)), "l"(map), "r"(shared_address(b)), \
                                __VA_ARGS__ : "memory");)                                                                         \
  }                                                                                                                               \
  HOTLOOP_ASYNC void tensor_store(const CUtensorMap* map, const void* shared, HOTLOOP_UNPACK parameters) {                        \
    HOTLOOP_IN_SIMULATOR(hotloop_bulk_tensor(1, shared, map, nullptr, HOTLOOP_UNPACK in_simulator);)                              \
    HOTLOOP_ON_GPU(asm volatile("cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group [%1, {" places "}], [%0];" ::   \
                                "r"(shared_address(shared)), "l"(map), "r"(0), __VA_ARGS__ : "memory");)                          \
  }
#define HOTLOOP_UNPACK(...) __VA_ARGS__
HOTLOOP_TENSOR("1d", (int x), (x, 0, 0, 0, 0), "%3", "r"(x))
HOTLOOP_TENSOR("2d", (int x, int y), (x, y, 0, 0, 0), "%3, %4", "r"(x), "r"(y))
HOTLOOP_TENSOR("3d", (int x, int y, int z), (x, y, z, 0, 0), "%3, %4, %5", "r"(x), "r"(y), "r"(z))
HOTLOOP_TENSOR("4d", (int x, int y, int z, int u), (x, y, z, u, 0), "%3, %4, %5, %6", "r"(x), "r"(y), "r"(z), "r"(u))

// --- wgmma -------------------------------------------------------------------------------------------------

enum class swizzle : unsigned { none, bytes_128, bytes_64, bytes_32 };

// Where an operand begins in shared memory. Its rows go along K. stride: bytes from 8 rows to the next 8. lead: without
// a swizzle, bytes from 8 rows of 16 bytes to the same rows' next 16 bytes; otherwise not used.
HOTLOOP_ASYNC uint64_t wgmma_descriptor(const void* start, unsigned lead, unsigned stride, swizzle how) {
  HOTLOOP_IN_SIMULATOR(const uint64_t at = reinterpret_cast<size_t>(start) >> 4;)
  HOTLOOP_ON_GPU(const uint64_t at = shared_address(start) >> 4 & 0x3fff;)
  const uint64_t fields = static_cast<uint64_t>(lead >> 4 & 0x3fff) << 16 | static_cast<uint64_t>(stride >> 4 & 0x3fff) << 32 |
                          static_cast<uint64_t>(how) << 62;
  // The simulator's addresses have more bits; they lie in fields that a GPU does not use.
  HOTLOOP_IN_SIMULATOR(return fields | (at & 0x3fff) | (at >> 24 & 3) << 14 | (at >> 26 & 3) << 30 | (at >> 14 & 0x3ff) << 52;)
  HOTLOOP_ON_GPU(return fields | at;)
}

// Before the first product, and before one whose registers other instructions have used.
HOTLOOP_ASYNC void wgmma_fence() {
  HOTLOOP_IN_SIMULATOR(hotloop_wgmma_group(0);)
  HOTLOOP_ON_GPU(asm volatile("wgmma.fence.sync.aligned;" ::: "memory");)
}
HOTLOOP_ASYNC void wgmma_commit_group() {
  HOTLOOP_IN_SIMULATOR(hotloop_wgmma_group(1);)
  HOTLOOP_ON_GPU(asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");)
}

// Tell the compiler that the sums change here: it sees nothing of what runs beside it.
template <int count>
HOTLOOP_ASYNC void change_here(float (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) HOTLOOP_ON_GPU(asm volatile("" : "+f"(d[i])::"memory")) HOTLOOP_IN_SIMULATOR((void)d);
}
// Until all groups but the newest ones are complete. By all threads of the warp group. d: the sums that are complete then.
template <int newest, int... counts>
HOTLOOP_ASYNC void wgmma_wait_group(float (&... d)[counts]) {
  HOTLOOP_IN_SIMULATOR(with_all_lanes(kProductWait); hotloop_wait(HOTLOOP_PRODUCTS, 0, newest, 0);)
  HOTLOOP_ON_GPU(asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(newest) : "memory"); (change_here(d), ...);)
}

#ifdef HOTLOOP_SIMULATOR

template <class T>
constexpr unsigned wgmma_type() {
  static_assert(sizeof(T) <= 2, "__half, __nv_bfloat16, __nv_fp8_e4m3 or __nv_fp8_e5m2");
  if (std::is_same_v<T, __nv_bfloat16>) return 1;
  return std::is_same_v<T, __nv_fp8_e4m3> ? 2 : std::is_same_v<T, __nv_fp8_e5m2> ? 3 : 0;
}

// d (+)= a · b, d of 64 × n, with rows of 32 bytes of T of a and of b. By the 128 threads of a warp group. Thread 32 · w + 4 · g + t
// has the sums of row 16 · w + g in d[4 j] and d[4 j + 1], of row 16 · w + g + 8 in d[4 j + 2] and d[4 j + 3],
// columns 8 · j + 2 · t and 8 · j + 2 · t + 1.
template <class T, int half_n>
HOTLOOP_ASYNC void wgmma(float (&d)[half_n], uint64_t a, uint64_t b, bool adds) {
  with_all_lanes(kProduct);
  hotloop_wgmma(d, a, b, nullptr, 2 * half_n | adds << 16 | wgmma_type<T>() << 17);
}

// With a from registers, as mma_m16n8k16 has it: a[0] row g, a[1] row g + 8, a[2] and a[3] the same rows' second half of columns.
template <class T, int half_n>
HOTLOOP_ASYNC void wgmma(float (&d)[half_n], const uint32_t (&a)[4], uint64_t b, bool adds) {
  uint32_t rows[2][8];
  for (unsigned t = 0; t < 4; ++t) {
    for (unsigned i = 0; i < 4; ++i) rows[i % 2][i / 2 * 4 + t] = __shfl_sync(0xffffffffu, a[i], hotloop_index(12) / 4 * 4 + t);
  }
  hotloop_wgmma(d, 0, b, rows, 2 * half_n | adds << 16 | wgmma_type<T>() << 17);
}

#else

#define HOTLOOP_D8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define HOTLOOP_D16(i) HOTLOOP_D8(i), HOTLOOP_D8(i + 8)
#define HOTLOOP_D32(i) HOTLOOP_D16(i), HOTLOOP_D16(i + 16)
#define HOTLOOP_P32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define HOTLOOP_P64 HOTLOOP_P32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define HOTLOOP_P96 HOTLOOP_P64 ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define HOTLOOP_P128 HOTLOOP_P96 ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// One instruction. sums: how many registers of them; next: the numbers of the operands behind them. trans: for 16 bits.
#define HOTLOOP_WGMMA_ONE(n, k, types, places, sums, adds_at, a_b, trans, operands)                                                 \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" adds_at ", 0;\nwgmma.mma_async.sync.aligned.m64n" #n "k" #k ".f32." types       \
               " {" places "}, " a_b ", p, 1, 1" trans ";\n}\n" : HOTLOOP_UNPACK sums : HOTLOOP_UNPACK operands, "r"(static_cast<int>(adds)))
#define HOTLOOP_WGMMA_SIZES(k, types, trans_ab, trans_b)                                                                            \
  if constexpr (half_n == 32) HOTLOOP_WGMMA_N(64, k, types, HOTLOOP_P32, (HOTLOOP_D32(0)), "32", "33", "34", "35", "36", "37", trans_ab, trans_b); \
  else if constexpr (half_n == 64) HOTLOOP_WGMMA_N(128, k, types, HOTLOOP_P64, (HOTLOOP_D32(0), HOTLOOP_D32(32)), "64", "65", "66", "67", "68", "69", trans_ab, trans_b); \
  else if constexpr (half_n == 96) HOTLOOP_WGMMA_N(192, k, types, HOTLOOP_P96, (HOTLOOP_D32(0), HOTLOOP_D32(32), HOTLOOP_D32(64)), "96", "97", "98", "99", "100", "101", trans_ab, trans_b); \
  else HOTLOOP_WGMMA_N(256, k, types, HOTLOOP_P128, (HOTLOOP_D32(0), HOTLOOP_D32(32), HOTLOOP_D32(64), HOTLOOP_D32(96)), "128", "129", "130", "131", "132", "133", trans_ab, trans_b)
#define HOTLOOP_WGMMA_TYPES                                                                                                         \
  static_assert(half_n == 32 || half_n == 64 || half_n == 96 || half_n == 128, "n is 64, 128, 192 or 256");                         \
  if constexpr (std::is_same_v<T, __nv_bfloat16>) { HOTLOOP_WGMMA_SIZES(16, "bf16.bf16", ", 0, 0", ", 0"); }                        \
  else if constexpr (std::is_same_v<T, __half>) { HOTLOOP_WGMMA_SIZES(16, "f16.f16", ", 0, 0", ", 0"); }                            \
  else if constexpr (std::is_same_v<T, __nv_fp8_e4m3>) { HOTLOOP_WGMMA_SIZES(32, "e4m3.e4m3", "", ""); }                            \
  else { static_assert(std::is_same_v<T, __nv_fp8_e5m2>); HOTLOOP_WGMMA_SIZES(32, "e5m2.e5m2", "", ""); }

template <class T, int half_n>
HOTLOOP_ASYNC void wgmma(float (&d)[half_n], uint64_t a, uint64_t b, bool adds) {
#define HOTLOOP_WGMMA_N(n, k, types, places, sums, p0, p1, p2, p3, p4, p5, trans_ab, trans_b) \
  HOTLOOP_WGMMA_ONE(n, k, types, places, sums, p2, "%" p0 ", %" p1, trans_ab, ("l"(a), "l"(b)))
  HOTLOOP_WGMMA_TYPES
#undef HOTLOOP_WGMMA_N
}
template <class T, int half_n>
HOTLOOP_ASYNC void wgmma(float (&d)[half_n], const uint32_t (&a)[4], uint64_t b, bool adds) {
#define HOTLOOP_WGMMA_N(n, k, types, places, sums, p0, p1, p2, p3, p4, p5, trans_ab, trans_b)                        \
  HOTLOOP_WGMMA_ONE(n, k, types, places, sums, p5, "{%" p0 ", %" p1 ", %" p2 ", %" p3 "}, %" p4, trans_b, \
                    ("r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)))
  HOTLOOP_WGMMA_TYPES
#undef HOTLOOP_WGMMA_N
}

#endif

// --- on the host -------------------------------------------------------------------------------------------

#ifndef HOTLOOP_SIMULATOR
// The driver's function, without linking libcuda.
inline CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* base, const cuuint64_t* size,
                             const cuuint64_t* stride, const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapSwizzle how) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
  if (function == nullptr) return CUDA_ERROR_NOT_FOUND;
  return reinterpret_cast<Encode>(function)(map, type, rank, base, size, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, how,
                                            CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
#else
inline CUresult encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* base, const cuuint64_t* size,
                             const cuuint64_t* stride, const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapSwizzle how) {
  return cuTensorMapEncodeTiled(map, type, rank, base, size, stride, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, how,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
#endif

// The map of a row-major matrix without gaps. A box is what one tensor copy moves. A map that CUDA refuses is all zeros.
template <class T>
CUtensorMap tensor_map(const T* base, size_t rows, size_t columns, unsigned box_rows, unsigned box_columns, CUtensorMapSwizzle how) {
  constexpr CUtensorMapDataType type = sizeof(T) == 1                            ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                       : std::is_same_v<T, float>               ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                       : std::is_same_v<T, __nv_bfloat16> ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                                                                : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  static_assert(sizeof(T) <= 2 || std::is_same_v<T, float>, "float, __half, __nv_bfloat16 or a type of one byte");
  const cuuint64_t size[2] = {columns, rows}, stride[1] = {columns * sizeof(T)};
  const cuuint32_t box[2] = {box_columns, box_rows}, steps[2] = {1, 1};
  CUtensorMap map = {};
  if (encode_tiled(&map, type, 2, const_cast<T*>(base), size, stride, box, steps, how) != CUDA_SUCCESS) map = {};
  return map;
}

}  // namespace hotloop
