// The runtime API, as far as launchers and small programs use it. All of it works in order: a
// kernel has run when its launch returns.
#pragma once

#include <cstddef>
#include <cstring>

#include "cudasim/qualifiers.h"
#include "driver_types.h"
#include "vector_types.h"

#define CUDART_VERSION 13000

extern "C" {
cudaError_t cudaMalloc(void** pointer, size_t size);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaMallocHost(void** pointer, size_t size);
cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudasim_malloc_managed(void** pointer, size_t size);
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height);
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* pointer, int value, size_t size);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudasim_symbol_copy(void* symbol, void* other, size_t size, size_t offset,
                                int to_symbol);
cudaError_t cudasim_symbol_address(void** pointer, const void* symbol);
cudaError_t cudasim_symbol_size(size_t* size, const void* symbol);

cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDriverGetVersion(int* version);

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudasim_event_record(cudaEvent_t event);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);

cudaError_t cudasim_function_attribute(const void* function, cudaFuncAttribute attribute,
                                       int value);
cudaError_t cudasim_function_attributes(cudaFuncAttributes* attributes, const void* function);
cudaError_t cudasim_occupancy(int* blocks, int block_size, size_t dynamic_shared);
}

CUDASIM_INLINE cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size,
                                           cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy(to, from, size, kind);
}
CUDASIM_INLINE cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                                             size_t from_pitch, size_t width, size_t height,
                                             cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
CUDASIM_INLINE cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size,
                                           cudaStream_t = nullptr) {
  return cudaMemset(pointer, value, size);
}
CUDASIM_INLINE cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
CUDASIM_INLINE cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
CUDASIM_INLINE cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  return cudaSuccess;
}
CUDASIM_INLINE cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault) {
  return cudaEventCreateWithFlags(event, flags);
}
CUDASIM_INLINE cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr) {
  return cudasim_event_record(event);
}
CUDASIM_INLINE cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

// C++ conveniences, as cuda_runtime.h has them.
template <class T>
CUDASIM_INLINE cudaError_t cudaMalloc(T** pointer, size_t size) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), size);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(pointer), size, stream);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMallocHost(T** pointer, size_t size, unsigned = 0) {
  return cudaMallocHost(reinterpret_cast<void**>(pointer), size);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaHostAlloc(T** pointer, size_t size, unsigned flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(pointer), size, flags);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMallocManaged(T** pointer, size_t size,
                                             unsigned = cudaMemAttachGlobal) {
  return cudasim_malloc_managed(reinterpret_cast<void**>(pointer), size);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width,
                                           size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size,
                                              size_t offset = 0,
                                              cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return cudasim_symbol_copy(const_cast<void*>(static_cast<const void*>(&symbol)),
                             const_cast<void*>(from), size, offset, 1);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size,
                                                size_t offset = 0,
                                                cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return cudasim_symbol_copy(const_cast<void*>(static_cast<const void*>(&symbol)), to, size,
                             offset, 0);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size,
                                                   size_t offset, cudaMemcpyKind kind,
                                                   cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, size, offset, kind);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size,
                                                     size_t offset, cudaMemcpyKind kind,
                                                     cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, size, offset, kind);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return cudasim_symbol_address(pointer, &symbol);
}
template <class T>
CUDASIM_INLINE cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return cudasim_symbol_size(size, &symbol);
}
template <class F>
CUDASIM_INLINE cudaError_t cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute,
                                                int value) {
  return cudasim_function_attribute(reinterpret_cast<const void*>(function), attribute, value);
}
template <class F>
CUDASIM_INLINE cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* function) {
  return cudasim_function_attributes(attributes, reinterpret_cast<const void*>(function));
}
template <class F>
CUDASIM_INLINE cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) {
  return cudaSuccess;
}
template <class F>
CUDASIM_INLINE cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F*,
                                                                         int block_size,
                                                                         size_t dynamic_shared) {
  return cudasim_occupancy(blocks, block_size, dynamic_shared);
}
template <class F>
CUDASIM_INLINE cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F*,
                                                              size_t = 0, int limit = 0) {
  *block = limit ? limit : 256;
  *grid = 132 * (2048 / *block);
  return cudaSuccess;
}
