// The warp-level instructions that feed tensor cores: ldmatrix and mma, for nvcc and for the simulator.
//
// On a GPU (sm_80 and later) each function is one PTX instruction. In the simulator it is C++ on shuffles and
// ordinary loads, so that races, alignment and bank conflicts are found as for any other access.
// All 32 lanes of a warp call them together.
//
// Fragment layouts: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type" and "ldmatrix".
// With g = lane / 4 and t = lane % 4, a register holds two neighboring 16-bit elements, the first in its low half:
//
//   a[0]  A[g][2t], A[g][2t + 1]            b[0]  B[2t][g], B[2t + 1][g]
//   a[1]  A[g + 8][2t], …                   b[1]  B[2t + 8][g], B[2t + 9][g]
//   a[2]  A[g][2t + 8], …                   d[0], d[1]  D[g][2t], D[g][2t + 1]
//   a[3]  A[g + 8][2t + 8], …               d[2], d[3]  D[g + 8][2t], D[g + 8][2t + 1]
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include <type_traits>

#ifdef HOTLOOP_SIMULATOR
#define HOTLOOP_WARP_FUNCTION HOTLOOP_INLINE __device__
#else
#define HOTLOOP_WARP_FUNCTION static __device__ __forceinline__
#endif

namespace hotloop {

#ifdef HOTLOOP_SIMULATOR

template <class T>
HOTLOOP_WARP_FUNCTION float value_of(uint32_t pair, int which) {
  T value;
  value.__x = static_cast<uint16_t>(pair >> 16 * which);
  return static_cast<float>(value);
}

// Matrix `which` of an ldmatrix: its rows' addresses come from the lanes 8 · which to 8 · which + 7, and each
// lane reads 4 bytes of row lane / 4. The 32 lanes together read the 8 rows of 16 bytes that the hardware reads
// in one phase.
HOTLOOP_WARP_FUNCTION uint32_t matrix_piece(const void* row, int which) {
  const unsigned lane = hotloop_index(12);
  const size_t at = __shfl_sync(0xffffffffu, reinterpret_cast<size_t>(row), 8 * which + lane / 4);
  if (at % 16) hotloop_failed("row % 16 == 0: a row of ldmatrix begins at a multiple of 16 bytes", "ldmatrix");
  return reinterpret_cast<const uint32_t*>(at)[lane % 4];
}

HOTLOOP_WARP_FUNCTION uint32_t transposed_piece(const void* row, int which) {
  const uint32_t piece = matrix_piece(row, which);
  const unsigned g = hotloop_index(12) / 4, t = hotloop_index(12) % 4, shift = g % 2 * 16;
  const uint32_t first = __shfl_sync(0xffffffffu, piece, 4 * (2 * t) + g / 2);
  const uint32_t second = __shfl_sync(0xffffffffu, piece, 4 * (2 * t + 1) + g / 2);
  return (first >> shift & 0xffff) | (second >> shift & 0xffff) << 16;
}

#ifdef HOTLOOP_READER
#define HOTLOOP_LDMATRIX(name, count, ...) \
  HOTLOOP_WARP_FUNCTION void name(uint32_t (&r)[count], const void* row) { hotloop_rows(r, row, count); }
#else
#define HOTLOOP_LDMATRIX(name, count, piece, instruction, ...)                       \
  HOTLOOP_WARP_FUNCTION void name(uint32_t (&r)[count], const void* row) {           \
    for (int i = 0; i < count; ++i) r[i] = piece(row, i);                            \
  }
#endif

#else

#define HOTLOOP_LDMATRIX(name, count, piece, instruction, ...)                       \
  HOTLOOP_WARP_FUNCTION void name(uint32_t (&r)[count], const void* row) {           \
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(row));        \
    asm volatile(instruction : __VA_ARGS__ : "r"(at) : "memory");                    \
  }

#endif

// r[i] = the lane's piece of matrix i of 8 × 8 16-bit elements. Lane 8 · i + j gives the address, in shared
// memory, of row j of matrix i; addresses of other lanes are not used. Lane 4 · g + t gets the elements 2t and
// 2t + 1 of row g; with _trans, of column g.
HOTLOOP_LDMATRIX(ldmatrix_x1, 1, matrix_piece,
                 "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", "=r"(r[0]))
HOTLOOP_LDMATRIX(ldmatrix_x2, 2, matrix_piece,
                 "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];", "=r"(r[0]), "=r"(r[1]))
HOTLOOP_LDMATRIX(ldmatrix_x4, 4, matrix_piece,
                 "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];",
                 "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))
HOTLOOP_LDMATRIX(ldmatrix_x1_trans, 1, transposed_piece,
                 "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];", "=r"(r[0]))
HOTLOOP_LDMATRIX(ldmatrix_x2_trans, 2, transposed_piece,
                 "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];", "=r"(r[0]), "=r"(r[1]))
HOTLOOP_LDMATRIX(ldmatrix_x4_trans, 4, transposed_piece,
                 "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];",
                 "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]))

// d += a · b, for A of 16 × 16 and B of 16 × 8 elements of T: __nv_bfloat16 or __half.
template <class T>
HOTLOOP_WARP_FUNCTION void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
#ifdef HOTLOOP_READER
  hotloop_product(d, a, b);  // whoever reads a kernel without running it needs no more
#elif defined(HOTLOOP_SIMULATOR)
  const unsigned lane = hotloop_index(12), g = lane / 4, t = lane % 4;
  const uint64_t low = static_cast<uint64_t>(a[1]) << 32 | a[0], high = static_cast<uint64_t>(a[3]) << 32 | a[2];
  const uint64_t column = static_cast<uint64_t>(b[1]) << 32 | b[0];
  for (unsigned from = 0; from < 4; ++from) {
    // Rows g and g + 8 of A, columns 2 · from and 2 · from + 8 and their neighbors.
    const uint64_t a_low = __shfl_sync(0xffffffffu, low, 4 * g + from);
    const uint64_t a_high = __shfl_sync(0xffffffffu, high, 4 * g + from);
    for (unsigned j = 0; j < 2; ++j) {
      const uint64_t b_both = __shfl_sync(0xffffffffu, column, 4 * (2 * t + j) + from);
      for (unsigned i = 0; i < 2; ++i) {
        const uint32_t near = static_cast<uint32_t>(a_low >> 32 * i), far = static_cast<uint32_t>(a_high >> 32 * i);
        const uint32_t b_near = static_cast<uint32_t>(b_both), b_far = static_cast<uint32_t>(b_both >> 32);
        d[2 * i + j] += value_of<T>(near, 0) * value_of<T>(b_near, 0) + value_of<T>(near, 1) * value_of<T>(b_near, 1) +
                        value_of<T>(far, 0) * value_of<T>(b_far, 0) + value_of<T>(far, 1) * value_of<T>(b_far, 1);
      }
    }
  }
#else
  static_assert(sizeof(T) == 2, "__nv_bfloat16 or __half");
  if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
#endif
}

}  // namespace hotloop
