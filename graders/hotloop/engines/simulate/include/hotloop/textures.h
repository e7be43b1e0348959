// Reads of textures, reads and writes of surfaces. They are ordinary accesses of a kernel to device memory;
// an object's description is read from constant memory. Linear filtering has weights of 8 bits, as
// on a GPU.
#pragma once

#include "hotloop/sync.h"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

enum hotloop_texture_flags : unsigned {
  // Bits 0-5: address modes of three dimensions, as in cudaTextureAddressMode.
  HOTLOOP_LINEAR = 1 << 6, HOTLOOP_NORMALIZED = 1 << 7, HOTLOOP_SCALES = 1 << 8, HOTLOOP_SIGNED = 1 << 9,
  HOTLOOP_TEXEL_BYTES = 10,  // the bytes of a channel are stored from this bit on
};
struct alignas(16) hotloop_texture {
  char* data;
  unsigned pitch, slice, flags;
  int width, height, depth, unused;
  float border[4];
};

namespace hotloop {

template <class T> struct element;
#define HOTLOOP_ELEMENT(type, part_, count_) \
  template <> struct element<type> { using part = part_; static constexpr int count = count_; };
#define HOTLOOP_ELEMENTS(name, type) \
  HOTLOOP_ELEMENT(type, type, 1) HOTLOOP_ELEMENT(name##1, type, 1) \
  HOTLOOP_ELEMENT(name##2, type, 2) HOTLOOP_ELEMENT(name##4, type, 4)
HOTLOOP_ELEMENT(char, signed char, 1)
HOTLOOP_ELEMENTS(char, signed char)
HOTLOOP_ELEMENTS(uchar, unsigned char)
HOTLOOP_ELEMENTS(short, short)
HOTLOOP_ELEMENTS(ushort, unsigned short)
HOTLOOP_ELEMENTS(int, int)
HOTLOOP_ELEMENTS(uint, unsigned)
HOTLOOP_ELEMENTS(float, float)
#undef HOTLOOP_ELEMENTS
#undef HOTLOOP_ELEMENT

// A texture's description, loaded with two accesses of 16 bytes.
struct texture_view {
  uint4 how, extent;
  HOTLOOP_MEMBER explicit texture_view(cudaTextureObject_t object)
      : how(reinterpret_cast<const uint4*>(static_cast<size_t>(object))[0]),
        extent(reinterpret_cast<const uint4*>(static_cast<size_t>(object))[1]) {}
  HOTLOOP_MEMBER unsigned flags() const { return how.w; }
  HOTLOOP_MEMBER int size(int dimension) const {
    return static_cast<int>(dimension == 0 ? extent.x : dimension == 1 ? extent.y : extent.z);
  }
  HOTLOOP_MEMBER char* at(int bytes, int row, int slice) const {
    return reinterpret_cast<char*>(how.x) + bytes + row * how.y + slice * how.z;
  }
};

// The texel for an index, given its address mode, or -1 for the border.
inline HOTLOOP_MEMBER int addressed(int index, int size, unsigned mode) {
  if (static_cast<unsigned>(index) < static_cast<unsigned>(size)) return index;
  if (mode == 3) return -1;
  if (mode == 1) return index < 0 ? 0 : size - 1;
  const int period = mode == 2 ? 2 * size : size;
  index %= period;
  if (index < 0) index += period;
  return index < size ? index : period - 1 - index;
}

template <class T>
inline HOTLOOP_MEMBER T of_parts(const typename element<T>::part (&parts)[4]) {
  T value;
  __builtin_memcpy(&value, parts, sizeof value);
  return value;
}

// Integers of 8 or 16 bits that are read as fractions of their largest value.
template <class T>
inline HOTLOOP_MEMBER T scaled(const char* place, unsigned flags) {
  constexpr int count = element<T>::count;
  float parts[4] = {};
  const bool is_signed = flags & HOTLOOP_SIGNED;
  if (flags >> HOTLOOP_TEXEL_BYTES == 1) {
    typedef std::conditional_t<count == 1, uint8_t, std::conditional_t<count == 2, uint16_t, uint32_t>> Raw;
    const uint32_t raw = *reinterpret_cast<const Raw*>(place);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float part = is_signed ? static_cast<int8_t>(raw >> 8 * i) / 127.0f : static_cast<uint8_t>(raw >> 8 * i) / 255.0f;
      parts[i] = part < -1 ? -1 : part;
    }
  } else {
    typedef std::conditional_t<count == 1, uint16_t, std::conditional_t<count == 2, uint32_t, uint64_t>> Raw;
    const uint64_t raw = *reinterpret_cast<const Raw*>(place);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float part = is_signed ? static_cast<int16_t>(raw >> 16 * i) / 32767.0f : static_cast<uint16_t>(raw >> 16 * i) / 65535.0f;
      parts[i] = part < -1 ? -1 : part;
    }
  }
  return of_parts<T>(parts);
}

template <class T>
inline HOTLOOP_MEMBER T texel(const char* place, unsigned flags) {
  if constexpr (std::is_same<typename element<T>::part, float>::value) {
    if (flags & HOTLOOP_SCALES) return scaled<T>(place, flags);
  }
  return *reinterpret_cast<const T*>(place);
}

template <class T>
inline HOTLOOP_MEMBER T border(cudaTextureObject_t object) {
  const float4 color = reinterpret_cast<const float4*>(static_cast<size_t>(object))[2];
  using Part = typename element<T>::part;
  const Part parts[4] = {static_cast<Part>(color.x), static_cast<Part>(color.y), static_cast<Part>(color.z), static_cast<Part>(color.w)};
  return of_parts<T>(parts);
}

template <class T>
inline HOTLOOP_MEMBER void add_weighted(T* total, const T& value, float weight) {
  float sums[4] = {}, parts[4] = {};
  __builtin_memcpy(sums, total, sizeof value);
  __builtin_memcpy(parts, &value, sizeof value);
#pragma unroll
  for (int i = 0; i < element<T>::count; ++i) sums[i] += weight * parts[i];
  *total = of_parts<T>(sums);
}

// One coordinate: the first texel of its footprint, and the weight of the second texel.
struct footprint {
  int first;
  float second;
  HOTLOOP_MEMBER footprint(float x, int size, unsigned flags) {
    if (flags & HOTLOOP_NORMALIZED) x *= static_cast<float>(size);
    if (flags & HOTLOOP_LINEAR) x -= 0.5f;
    const float whole = floorf(x);
    first = static_cast<int>(whole);
    second = flags & HOTLOOP_LINEAR ? floorf((x - whole) * 256.0f + 0.5f) * (1.0f / 256.0f) : 0.0f;
  }
};

// A read in 1, 2 or 3 dimensions. layer: for layered textures, which have at most 2 dimensions.
template <class T, int dimensions>
inline HOTLOOP_MEMBER T sampled(cudaTextureObject_t object, float x, float y, float z, int layer) {
  const texture_view t(object);
  const unsigned flags = t.flags();
  const footprint fx(x, t.size(0), flags), fy(y, t.size(1), flags), fz(z, t.size(2), flags);
  const int layers = t.size(2);
  layer = layer < 0 ? 0 : layer < layers ? layer : layers - 1;
  const int corners = flags & HOTLOOP_LINEAR ? 1 << dimensions : 1;
  T total = {};
#pragma clang loop unroll(disable)
  for (int corner = 0; corner < corners; ++corner) {
    const int cx = corner & 1, cy = corner >> 1 & 1, cz = corner >> 2;
    float weight = cx ? fx.second : 1 - fx.second;
    if (dimensions > 1) weight *= cy ? fy.second : 1 - fy.second;
    if (dimensions > 2) weight *= cz ? fz.second : 1 - fz.second;
    if (weight == 0) continue;
    const int column = addressed(fx.first + cx, t.size(0), flags & 3);
    const int row = dimensions > 1 ? addressed(fy.first + cy, t.size(1), flags >> 2 & 3) : 0;
    const int slice = dimensions > 2 ? addressed(fz.first + cz, t.size(2), flags >> 4 & 3) : layer;
    constexpr int count = element<T>::count;
    const int bytes = column * count * static_cast<int>(flags >> HOTLOOP_TEXEL_BYTES);
    const T value = (column | row | slice) < 0 ? border<T>(object) : texel<T>(t.at(bytes, row, slice), flags);
    if constexpr (std::is_same<typename element<T>::part, float>::value) {
      if (!(flags & HOTLOOP_LINEAR)) return value;
      add_weighted(&total, value, weight);
    } else {
      return value;
    }
  }
  return total;
}

// Element `index` of linear memory; 0 if it is out of range.
template <class T>
inline HOTLOOP_MEMBER T fetched(cudaTextureObject_t object, int index) {
  const texture_view t(object);
  if (static_cast<unsigned>(index) >= static_cast<unsigned>(t.size(0))) return T{};
  constexpr int count = element<T>::count;
  return texel<T>(t.at(index * count * static_cast<int>(t.flags() >> HOTLOOP_TEXEL_BYTES), 0, 0), t.flags());
}

// A read of a cube map: its six faces are layers; the direction selects a face and a point on it.
template <class T>
inline HOTLOOP_MEMBER T cube(cudaTextureObject_t object, float x, float y, float z, int layer) {
  const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  int face;
  float major, s, t;
  if (ax >= ay && ax >= az) {
    face = x < 0, major = ax, s = x < 0 ? z : -z, t = -y;
  } else if (ay >= az) {
    face = 2 + (y < 0), major = ay, s = x, t = y < 0 ? -z : z;
  } else {
    face = 4 + (z < 0), major = az, s = z < 0 ? -x : x, t = -y;
  }
  const texture_view view(object);
  const float half_x = view.flags() & HOTLOOP_NORMALIZED ? 0.5f : 0.5f * static_cast<float>(view.size(0));
  return sampled<T, 2>(object, (s / major + 1) * half_x, (t / major + 1) * half_x, 0, 6 * layer + face);
}

// The address of a surface's element; x is in bytes. Null if a read gives 0 and a write does nothing.
template <class T>
inline HOTLOOP_MEMBER T* surface_place(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  const texture_view t(object);
  const int last[3] = {static_cast<int>(t.how.y - sizeof(T)), t.size(1) - 1, t.size(2) - 1};
  const bool inside = x >= 0 && x <= last[0] && y >= 0 && y <= last[1] && z >= 0 && z <= last[2];
  if (!inside && mode == cudaBoundaryModeTrap) hotloop_trap();
  if (!inside && mode == cudaBoundaryModeZero) return nullptr;
  x = x < 0 ? 0 : x < last[0] ? x : last[0];
  y = y < 0 ? 0 : y < last[1] ? y : last[1];
  z = z < 0 ? 0 : z < last[2] ? z : last[2];
  return reinterpret_cast<T*>(t.at(x, y, z));
}
template <class T>
inline HOTLOOP_MEMBER T surface_read(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  const T* place = surface_place<T>(object, x, y, z, mode);
  if (!place) return T{};
  return *place;
}
template <class T>
inline HOTLOOP_MEMBER void surface_write(const T& value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  T* place = surface_place<T>(object, x, y, z, mode);
  if (place) *place = value;
}

}  // namespace hotloop

// Each read has a form that returns its value and one that writes it to an address.
#define HOTLOOP_ARGUMENTS(...) __VA_ARGS__
#define HOTLOOP_TEXTURE(name, parameters, what)                                                   \
  template <class T>                                                                              \
  HOTLOOP_INLINE T name(cudaTextureObject_t object, HOTLOOP_ARGUMENTS parameters) {               \
    return what;                                                                         \
  }                                                                                               \
  template <class T>                                                                              \
  HOTLOOP_INLINE void name(T* value, cudaTextureObject_t object, HOTLOOP_ARGUMENTS parameters) {  \
    *value = what;                                                                       \
  }
#define HOTLOOP_SURFACE(name, parameters, arguments)                                              \
  template <class T>                                                                              \
  HOTLOOP_INLINE T name##read(cudaSurfaceObject_t object, HOTLOOP_ARGUMENTS parameters,           \
                              cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    return hotloop::surface_read<T>(object, HOTLOOP_ARGUMENTS arguments, mode);                   \
  }                                                                                               \
  template <class T>                                                                              \
  HOTLOOP_INLINE void name##read(T* value, cudaSurfaceObject_t object, HOTLOOP_ARGUMENTS parameters, \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
    *value = hotloop::surface_read<T>(object, HOTLOOP_ARGUMENTS arguments, mode);                 \
  }                                                                                               \
  template <class T>                                                                              \
  HOTLOOP_INLINE void name##write(T value, cudaSurfaceObject_t object, HOTLOOP_ARGUMENTS parameters, \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
    hotloop::surface_write(value, object, HOTLOOP_ARGUMENTS arguments, mode);                     \
  }
HOTLOOP_TEXTURE(tex1Dfetch, (int x), (hotloop::fetched<T>(object, x)))
HOTLOOP_TEXTURE(tex1D, (float x), (hotloop::sampled<T, 1>(object, x, 0, 0, 0)))
HOTLOOP_TEXTURE(tex2D, (float x, float y), (hotloop::sampled<T, 2>(object, x, y, 0, 0)))
HOTLOOP_TEXTURE(tex3D, (float x, float y, float z), (hotloop::sampled<T, 3>(object, x, y, z, 0)))
HOTLOOP_TEXTURE(tex1DLayered, (float x, int layer), (hotloop::sampled<T, 1>(object, x, 0, 0, layer)))
HOTLOOP_TEXTURE(tex2DLayered, (float x, float y, int layer), (hotloop::sampled<T, 2>(object, x, y, 0, layer)))
HOTLOOP_TEXTURE(texCubemap, (float x, float y, float z), (hotloop::cube<T>(object, x, y, z, 0)))
HOTLOOP_TEXTURE(texCubemapLayered, (float x, float y, float z, int layer), (hotloop::cube<T>(object, x, y, z, layer)))
HOTLOOP_SURFACE(surf1D, (int x), (x, 0, 0))
HOTLOOP_SURFACE(surf2D, (int x, int y), (x, y, 0))
HOTLOOP_SURFACE(surf3D, (int x, int y, int z), (x, y, z))
HOTLOOP_SURFACE(surf2DLayered, (int x, int y, int layer), (x, y, layer))
#undef HOTLOOP_SURFACE
#undef HOTLOOP_TEXTURE
#undef HOTLOOP_ARGUMENTS
