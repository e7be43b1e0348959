// Arrays, texture objects and surface objects for host code. An array is plain memory of the
// device, row after row; an object is the address of a description in constant memory (textures.h reads it).
#pragma once

#include "hotloop/runtime.h"
#include "hotloop/textures.h"

// --- extents and pitched memory ----------------------------------------------------------------------------

struct cudaExtent { size_t width, height, depth; };
struct cudaPos { size_t x, y, z; };
struct cudaPitchedPtr { void* ptr; size_t pitch, xsize, ysize; };
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
  return {pointer, pitch, width, height};
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent, HOTLOOP_HERE) {
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width, extent.height * extent.depth, here);
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr pitched, int value, cudaExtent extent, HOTLOOP_HERE) {
  for (size_t z = 0; z < extent.depth; ++z) {
    cudaMemset2D(static_cast<char*>(pitched.ptr) + z * pitched.pitch * pitched.ysize, pitched.pitch, value, extent.width, extent.height, here);
  }
  return hotloop_state();
}

// --- arrays ------------------------------------------------------------------------------------------------

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat, cudaChannelFormatKindNone,
};
struct cudaChannelFormatDesc { int x, y, z, w; cudaChannelFormatKind f; };
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) { return {x, y, z, w, f}; }
template <class T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Element = hotloop::element<T>;
  using Part = typename Element::part;
  const int bits = 8 * sizeof(Part);
  const cudaChannelFormatKind kind = std::is_floating_point<Part>::value ? cudaChannelFormatKindFloat
                                     : std::is_signed<Part>::value       ? cudaChannelFormatKindSigned
                                                                         : cudaChannelFormatKindUnsigned;
  return {bits, Element::count > 1 ? bits : 0, Element::count > 2 ? bits : 0, Element::count > 3 ? bits : 0, kind};
}

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

// An extent of 0 means that the array lacks this dimension.
struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;
  unsigned flags;
  char* data;

  size_t element() const { return (format.x + format.y + format.z + format.w) / 8; }
  size_t row() const { return extent.width * element(); }
  size_t rows() const { return extent.height ? extent.height : 1; }
  size_t slices() const { return extent.depth ? extent.depth : 1; }
};
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;

inline cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned flags = 0, HOTLOOP_HERE) {
  cudaArray* made = new cudaArray{*format, extent, flags, nullptr};
  if (!made->element() || !extent.width) {
    delete made;
    return hotloop_fail(cudaErrorInvalidValue, "cudaMalloc3DArray", here);
  }
  *array = made;
  return hotloop_ask(HOTLOOP_ALLOCATE, &made->data, "an array", made->row() * made->rows() * made->slices(), HOTLOOP_DEVICE, here);
}
inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height = 0, unsigned flags = 0, HOTLOOP_HERE) {
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags, here);
}
inline cudaError_t cudaFreeArray(cudaArray_t array, HOTLOOP_HERE) {
  if (!array) return hotloop_state();
  const cudaError_t error = hotloop_free(array->data, here);
  delete array;
  return error;
}
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  if (format) *format = array->format;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return hotloop_state();
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  *format = array->format;
  return hotloop_state();
}

// --- copies ------------------------------------------------------------------------------------------------

// Columns of arrays are given in bytes in these functions, and in elements in cudaMemcpy3D.
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, HOTLOOP_HERE) {
  if (x + width > to->row() || y + height > to->rows()) return hotloop_fail(cudaErrorInvalidValue, "a copy beyond an array", here);
  return cudaMemcpy2D(to->data + y * to->row() + x, to->row(), from, pitch, width, height, kind, here);
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind, here);
}
inline cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind, HOTLOOP_HERE) {
  if (x + width > from->row() || y + height > from->rows()) return hotloop_fail(cudaErrorInvalidValue, "a copy beyond an array", here);
  return cudaMemcpy2D(to, pitch, from->data + y * from->row() + x, from->row(), width, height, kind, here);
}
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t size, cudaMemcpyKind kind, HOTLOOP_HERE) {
  const size_t at = y * to->row() + x;
  if (at + size > to->row() * to->rows()) return hotloop_fail(cudaErrorInvalidValue, "a copy beyond an array", here);
  return cudaMemcpy(to->data + at, from, size, kind, here);
}
inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t size, cudaMemcpyKind kind, HOTLOOP_HERE) {
  const size_t at = y * from->row() + x;
  if (at + size > from->row() * from->rows()) return hotloop_fail(cudaErrorInvalidValue, "a copy beyond an array", here);
  return cudaMemcpy(to, from->data + at, size, kind, here);
}

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct hotloop_box { char* first; size_t pitch, slice; };
inline hotloop_box hotloop_box_of(const cudaArray* array, const cudaPitchedPtr& pitched, const cudaPos& at) {
  if (array) {
    const size_t row = array->row(), slice = row * array->rows();
    return {array->data + at.z * slice + at.y * row + at.x * array->element(), row, slice};
  }
  const size_t slice = pitched.pitch * pitched.ysize;
  return {static_cast<char*>(pitched.ptr) + at.z * slice + at.y * pitched.pitch + at.x, pitched.pitch, slice};
}
inline bool hotloop_fits(const cudaArray* array, const cudaPos& at, const cudaExtent& extent) {
  return !array || (at.x + extent.width <= array->extent.width && at.y + extent.height <= array->rows() && at.z + extent.depth <= array->slices());
}
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p, HOTLOOP_HERE) {
  const cudaArray* array = p->srcArray ? p->srcArray : p->dstArray;
  if (!hotloop_fits(p->srcArray, p->srcPos, p->extent) || !hotloop_fits(p->dstArray, p->dstPos, p->extent)) {
    return hotloop_fail(cudaErrorInvalidValue, "a copy beyond an array", here);
  }
  const size_t width = p->extent.width * (array ? array->element() : 1);
  const hotloop_box from = hotloop_box_of(p->srcArray, p->srcPtr, p->srcPos), to = hotloop_box_of(p->dstArray, p->dstPtr, p->dstPos);
  for (size_t z = 0; z < p->extent.depth; ++z) {
    const cudaError_t error = cudaMemcpy2D(to.first + z * to.slice, to.pitch, from.first + z * from.slice, from.pitch, width, p->extent.height, p->kind, here);
    if (error != cudaSuccess) return error;
  }
  return hotloop_state();
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t = nullptr, HOTLOOP_HERE) { return cudaMemcpy3D(p, here); }

// --- objects -----------------------------------------------------------------------------------------------

enum cudaResourceType { cudaResourceTypeArray, cudaResourceTypeMipmappedArray, cudaResourceTypeLinear, cudaResourceTypePitch2D };
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct { cudaArray_t array; } array;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t sizeInBytes; } linear;
    struct { void* devPtr; cudaChannelFormatDesc desc; size_t width, height, pitchInBytes; } pitch2D;
  } res;
  unsigned flags;
};
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;

// A resource's description as a hotloop_texture.
inline hotloop_texture hotloop_described(const cudaResourceDesc& resource, cudaChannelFormatDesc* format) {
  hotloop_texture t = {};
  t.width = t.height = t.depth = 1;
  if (resource.resType == cudaResourceTypeArray) {
    const cudaArray* array = resource.res.array.array;
    *format = array->format;
    t.data = array->data;
    t.width = array->extent.width;
    t.height = array->rows();
    t.depth = array->slices();
    t.pitch = array->row();
  } else if (resource.resType == cudaResourceTypeLinear) {
    *format = resource.res.linear.desc;
    t.data = static_cast<char*>(resource.res.linear.devPtr);
    t.pitch = resource.res.linear.sizeInBytes;
    t.width = t.pitch / (((format->x + format->y + format->z + format->w) / 8) ?: 1);
  } else {
    *format = resource.res.pitch2D.desc;
    t.data = static_cast<char*>(resource.res.pitch2D.devPtr);
    t.width = resource.res.pitch2D.width;
    t.height = resource.res.pitch2D.height;
    t.pitch = resource.res.pitch2D.pitchInBytes;
  }
  t.flags = format->x / 8 << HOTLOOP_TEXEL_BYTES;
  if (format->f == cudaChannelFormatKindSigned) t.flags |= HOTLOOP_SIGNED;
  t.slice = t.pitch * t.height;
  return t;
}
inline cudaError_t hotloop_object(cudaTextureObject_t* object, const hotloop_texture& described, const char* what, const hotloop_here& here) {
  void* place = nullptr;
  const cudaError_t error = hotloop_ask(HOTLOOP_ALLOCATE, &place, what, sizeof described, HOTLOOP_DESCRIPTION, here);
  if (error != cudaSuccess) return error;
  *object = reinterpret_cast<size_t>(place);
  return cudaMemcpy(place, &described, sizeof described, cudaMemcpyHostToDevice, here);
}
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* texture, const cudaResourceViewDesc* = nullptr, HOTLOOP_HERE) {
  const char* what = "cudaCreateTextureObject";
  if (resource->resType == cudaResourceTypeMipmappedArray || texture->sRGB) return hotloop_fail(cudaErrorNotSupported, what, here);
  cudaChannelFormatDesc format;
  hotloop_texture t = hotloop_described(*resource, &format);
  const bool is_float = format.f == cudaChannelFormatKindFloat, scales = texture->readMode == cudaReadModeNormalizedFloat && !is_float;
  if (is_float && format.x != 32) return hotloop_fail(cudaErrorNotSupported, what, here);
  if (!t.data || (scales && format.x > 16)) return hotloop_fail(cudaErrorInvalidValue, what, here);
  if (texture->filterMode == cudaFilterModeLinear) {
    if (!is_float && !scales) return hotloop_fail(cudaErrorInvalidValue, "cudaCreateTextureObject: linear filtering of integers", here);
    t.flags |= HOTLOOP_LINEAR;
  }
  if (scales) t.flags |= HOTLOOP_SCALES;
  if (texture->normalizedCoords) t.flags |= HOTLOOP_NORMALIZED;
  for (int i = 0; i < 3; ++i) {
    const cudaTextureAddressMode mode = texture->addressMode[i];
    const bool needs_normalized = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
    t.flags |= (needs_normalized && !texture->normalizedCoords ? cudaAddressModeClamp : mode) << 2 * i;
  }
  memcpy(t.border, texture->borderColor, sizeof t.border);
  return hotloop_object(object, t, what, here);
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object, HOTLOOP_HERE) {
  return hotloop_free(reinterpret_cast<void*>(static_cast<size_t>(object)), here);
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource, HOTLOOP_HERE) {
  const char* what = "cudaCreateSurfaceObject: an array made without cudaArraySurfaceLoadStore";
  if (resource->resType != cudaResourceTypeArray || !(resource->res.array.array->flags & cudaArraySurfaceLoadStore)) {
    return hotloop_fail(cudaErrorInvalidValue, what, here);
  }
  cudaChannelFormatDesc format;
  return hotloop_object(object, hotloop_described(*resource, &format), "cudaCreateSurfaceObject", here);
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object, HOTLOOP_HERE) { return cudaDestroyTextureObject(object, here); }
