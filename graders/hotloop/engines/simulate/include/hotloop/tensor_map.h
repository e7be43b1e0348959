// Tensor maps, as the checker reads them (checker/bulk.c).
// Source: CUDA Driver API, "Tensor Map Object Management", for what cuTensorMapEncodeTiled refuses.
#pragma once

#include <stdint.h>

typedef unsigned cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1 } CUresult;

typedef enum {
  CU_TENSOR_MAP_DATA_TYPE_UINT8, CU_TENSOR_MAP_DATA_TYPE_UINT16, CU_TENSOR_MAP_DATA_TYPE_UINT32, CU_TENSOR_MAP_DATA_TYPE_INT32,
  CU_TENSOR_MAP_DATA_TYPE_UINT64, CU_TENSOR_MAP_DATA_TYPE_INT64, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
} CUtensorMapDataType;
typedef enum { CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_INTERLEAVE_32B } CUtensorMapInterleave;
typedef enum {
  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_128B,
} CUtensorMapSwizzle;
typedef enum {
  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_64B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
} CUtensorMapL2promotion;
typedef enum {
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA,
} CUtensorMapFloatOOBfill;

typedef struct alignas(64) {
  unsigned is_map, base, rank, element, swizzle, size[5], stride[5], box[5], unused[12];
} CUtensorMap;

inline CUresult cuTensorMapEncodeTiled(
    CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* base, const cuuint64_t* size, const cuuint64_t* stride,
    const cuuint32_t* box, const cuuint32_t* element_stride, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  static const unsigned kElement[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2}, kSwizzle[] = {0, 32, 64, 128};
  const unsigned at = static_cast<unsigned>(reinterpret_cast<size_t>(base));
  if (!map || reinterpret_cast<size_t>(map) % 64 || rank < 1 || rank > 5 || at % 16 || interleave || fill) return CUDA_ERROR_INVALID_VALUE;
  if (static_cast<unsigned>(type) > CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 || static_cast<unsigned>(swizzle) > 3) return CUDA_ERROR_INVALID_VALUE;
  CUtensorMap m = {};
  m.is_map = 0x70a5a9;
  m.base = at, m.rank = rank, m.element = kElement[type], m.swizzle = kSwizzle[swizzle];
  for (unsigned d = 0; d < rank; ++d) {
    const cuuint64_t step = d ? stride[d - 1] : m.element;
    if (!size[d] || size[d] >> 32 || step >> 32 || (d && step % 16) || box[d] - 1 > 255 || element_stride[d] != 1) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    m.size[d] = static_cast<unsigned>(size[d]), m.stride[d] = static_cast<unsigned>(step), m.box[d] = box[d];
  }
  const unsigned row = m.box[0] * m.element;
  if (row % 16 || (m.swizzle && row > m.swizzle)) return CUDA_ERROR_INVALID_VALUE;
  *map = m;
  return CUDA_SUCCESS;
}
