// Texture objects over arrays, pitched and linear memory: address modes, filters, read modes, layers, faces.
#include "../check.h"

#include <cstring>

__global__ void read_1d(cudaTextureObject_t object, const float* at, float* out) {
  out[threadIdx.x] = tex1D<float>(object, at[threadIdx.x]);
}
__global__ void read_2d(cudaTextureObject_t object, const float2* at, float* out) {
  const float2 p = at[threadIdx.x];
  tex2D(&out[threadIdx.x], object, p.x, p.y);
}
__global__ void fetch(cudaTextureObject_t object, int4* out) {
  const int t = threadIdx.x;
  out[t] = tex1Dfetch<int4>(object, t - 1);
}
__global__ void bytes(cudaTextureObject_t object, float4* out) {
  out[threadIdx.x] = tex2D<float4>(object, threadIdx.x + 0.5f, 0.5f);
}
__global__ void volume(cudaTextureObject_t object, float* out) {
  out[0] = tex3D<float>(object, 1.0f, 1.0f, 1.0f);
  out[1] = tex3D<float>(object, 0.5f, 1.5f, 1.25f);
}
__global__ void layers(cudaTextureObject_t object, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(object, 0.75f, 0.25f, static_cast<int>(threadIdx.x) - 1);
}
__global__ void faces(cudaTextureObject_t object, const float4* at, float* out) {
  const float4 d = at[threadIdx.x];
  out[threadIdx.x] = texCubemap<float>(object, d.x, d.y, d.z);
}

cudaTextureObject_t object_of(const cudaResourceDesc& resource, cudaTextureAddressMode mode,
                              cudaTextureFilterMode filter, bool normalized,
                              cudaTextureReadMode read = cudaReadModeElementType) {
  cudaTextureDesc texture;
  std::memset(&texture, 0, sizeof texture);
  for (auto& address : texture.addressMode) address = mode;
  texture.filterMode = filter;
  texture.readMode = read;
  texture.normalizedCoords = normalized;
  texture.borderColor[0] = -5;
  cudaTextureObject_t object = 0;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

cudaResourceDesc of_array(cudaArray_t array) {
  cudaResourceDesc resource;
  std::memset(&resource, 0, sizeof resource);
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

// An array with three extents that is filled with 0, 1, 2 and so on.
cudaArray_t counted(cudaExtent extent, unsigned flags) {
  const size_t count = extent.width * extent.height * extent.depth;
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array;
  CHECK(cudaMalloc3DArray(&array, &format, extent, flags));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(values.data(), extent.width * sizeof(float), extent.width, extent.height);
  copy.dstArray = array;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

template <class T>
bool is_out(const float* device, const std::vector<T>& expected) {
  std::vector<T> got(expected.size());
  CHECK(cudaMemcpy(got.data(), device, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  return std::memcmp(got.data(), expected.data(), got.size() * sizeof(T)) == 0;
}

bool in_one_dimension(float* at, float* out) {
  const float values[4] = {10, 20, 30, 40};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 4));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, values, sizeof values, sizeof values, 1, cudaMemcpyHostToDevice));
  struct Case {
    cudaTextureAddressMode mode;
    cudaTextureFilterMode filter;
    bool normalized;
    float at[4];
    std::vector<float> expected;
  };
  const std::vector<Case> cases = {
      {cudaAddressModeClamp, cudaFilterModePoint, false, {-3, 0.9f, 2.5f, 9}, {10, 10, 30, 40}},
      {cudaAddressModeBorder, cudaFilterModePoint, false, {-3, 0.9f, 2.5f, 4}, {-5, 10, 30, -5}},
      {cudaAddressModeWrap, cudaFilterModePoint, true, {-0.25f, 0.5f, 1.25f, 2.9f}, {40, 30, 20, 40}},
      {cudaAddressModeMirror, cudaFilterModePoint, true, {-0.1f, 1.1f, 1.9f, 2.3f}, {10, 40, 10, 20}},
      {cudaAddressModeWrap, cudaFilterModePoint, false, {-1, 4.5f, 1, 2}, {10, 40, 20, 30}},
      {cudaAddressModeClamp, cudaFilterModeLinear, false, {0, 1, 1.75f, 7}, {10, 15, 22.5f, 40}},
      {cudaAddressModeWrap, cudaFilterModeLinear, true, {0, 0.25f, 0.375f, 1}, {25, 15, 20, 25}},
      {cudaAddressModeBorder, cudaFilterModeLinear, false, {0, 1, 2, 4}, {2.5f, 15, 25, 17.5f}},
  };
  bool right = true;
  for (const Case& one : cases) {
    const cudaTextureObject_t object = object_of(of_array(array), one.mode, one.filter, one.normalized);
    CHECK(cudaMemcpy(at, one.at, sizeof one.at, cudaMemcpyHostToDevice));
    read_1d<<<1, 4>>>(object, at, out);
    CHECK_LAUNCH();
    right &= is_out(out, one.expected);
    CHECK(cudaDestroyTextureObject(object));
  }
  CHECK(cudaFreeArray(array));
  return right;
}

// A picture of 3 x 2 in pitched memory, whose rows are longer than its width.
bool in_two_dimensions(float* at, float* out) {
  const float values[6] = {0, 1, 2, 10, 11, 12};
  const float2 places[4] = {{0.5f, 0.5f}, {2.5f, 1.5f}, {1.0f, 1.0f}, {1.25f, 0.5f}};
  float* memory;
  size_t pitch;
  CHECK(cudaMallocPitch(&memory, &pitch, 3 * sizeof(float), 2));
  CHECK(cudaMemcpy2D(memory, pitch, values, 3 * sizeof(float), 3 * sizeof(float), 2, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(at, places, sizeof places, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = 3;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureObject_t object = object_of(resource, cudaAddressModeClamp, cudaFilterModeLinear, false);
  read_2d<<<1, 4>>>(object, reinterpret_cast<float2*>(at), out);
  CHECK_LAUNCH();
  const bool right = is_out<float>(out, {0, 12, 5.5f, 0.75f});
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFree(memory));
  return right;
}

bool of_linear_memory(float* out) {
  const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int* memory;
  CHECK(cudaMalloc(&memory, sizeof values));
  CHECK(cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int4>();
  resource.res.linear.sizeInBytes = sizeof values;
  const cudaTextureObject_t object = object_of(resource, cudaAddressModeClamp, cudaFilterModePoint, false);
  fetch<<<1, 4>>>(object, reinterpret_cast<int4*>(out));
  CHECK_LAUNCH();
  bool right = is_out<int>(out, {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0});
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFree(memory));
  return right;
}

bool as_fractions(float* out) {
  const unsigned char values[8] = {0, 255, 51, 102, 255, 0, 0, 204};
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
  cudaArray_t array;
  CHECK(cudaMallocArray(&array, &format, 2, 1));
  CHECK(cudaMemcpyToArray(array, 0, 0, values, sizeof values, cudaMemcpyHostToDevice));
  const cudaTextureObject_t object = object_of(of_array(array), cudaAddressModeClamp, cudaFilterModePoint, false,
                                               cudaReadModeNormalizedFloat);
  bytes<<<1, 2>>>(object, reinterpret_cast<float4*>(out));
  CHECK_LAUNCH();
  const bool right = is_out<float>(out, {0, 1, 0.2f, 0.4f, 1, 0, 0, 0.8f});
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));
  return right;
}

bool in_three_dimensions(float* at, float* out) {
  cudaArray_t array = counted(make_cudaExtent(2, 2, 2), 0);
  cudaTextureObject_t object = object_of(of_array(array), cudaAddressModeClamp, cudaFilterModeLinear, false);
  volume<<<1, 1>>>(object, out);
  CHECK_LAUNCH();
  bool right = is_out<float>(out, {3.5f, 5});
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));

  array = counted(make_cudaExtent(2, 2, 3), cudaArrayLayered);
  object = object_of(of_array(array), cudaAddressModeWrap, cudaFilterModeLinear, true);
  layers<<<1, 5>>>(object, out);
  CHECK_LAUNCH();
  right &= is_out<float>(out, {1, 1, 5, 9, 9});
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));

  // On each face the texels are 4 * face + 2 * (lower half) + (right half).
  array = counted(make_cudaExtent(2, 2, 6), cudaArrayCubemap);
  object = object_of(of_array(array), cudaAddressModeClamp, cudaFilterModePoint, true);
  const float4 directions[6] = {{1, 0.5f, -0.5f}, {-1, 0.5f, -0.5f}, {0.5f, 1, -0.5f},
                                {0.5f, -1, -0.5f}, {0.5f, 0.5f, 1},   {0.5f, 0.5f, -1}};
  CHECK(cudaMemcpy(at, directions, sizeof directions, cudaMemcpyHostToDevice));
  faces<<<1, 6>>>(object, reinterpret_cast<float4*>(at), out);
  CHECK_LAUNCH();
  right &= is_out<float>(out, {1, 4, 9, 15, 17, 20});
  CHECK(cudaDestroyTextureObject(object));
  CHECK(cudaFreeArray(array));
  return right;
}

int main() {
  float *at, *out;
  CHECK(cudaMalloc(&at, 256));
  CHECK(cudaMalloc(&out, 256));
  bool right = in_one_dimension(at, out);
  right &= in_two_dimensions(at, out);
  right &= of_linear_memory(out);
  right &= as_fractions(out);
  right &= in_three_dimensions(at, out);
  CHECK(cudaFree(at));
  CHECK(cudaFree(out));
  return verdict(right);
}
