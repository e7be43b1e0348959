// The runtime API of host code. The device runs everything immediately and in order; the simulator keeps its
// state (allocations, errors, symbols), behind one function: an import of a program's module, or a function
// of operator.c if the host code is that of a PyTorch operator, which is native.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "hotloop/types.h"
#include "hotloop/vectors.h"

#define CUDART_VERSION 13000
// Other headers test these to see whether the runtime's headers are included.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__

enum hotloop_call : unsigned {
  HOTLOOP_ALLOCATE, HOTLOOP_FREE, HOTLOOP_COPY, HOTLOOP_FILL, HOTLOOP_LAUNCH, HOTLOOP_FAIL,
  HOTLOOP_LAST_ERROR, HOTLOOP_PEEK_ERROR, HOTLOOP_RESET, HOTLOOP_SYMBOL, HOTLOOP_SYMBOL_SIZE,
  HOTLOOP_USED, HOTLOOP_ALLOW_SHARED, HOTLOOP_SHARED_ALLOWED, HOTLOOP_STATIC_SHARED, HOTLOOP_STATE,
  HOTLOOP_SYNCHRONIZE, HOTLOOP_TENSOR, HOTLOOP_NO_ROOM, HOTLOOP_UNSUPPORTED,
  HOTLOOP_MOST_THREADS, HOTLOOP_WORK,
};
enum hotloop_memory : unsigned { HOTLOOP_DEVICE, HOTLOOP_MANAGED, HOTLOOP_PINNED, HOTLOOP_DESCRIPTION };

// The file and line of a call, passed by default arguments.
struct hotloop_here {
  const char* file;
  unsigned line;
  hotloop_here(const char* f = __builtin_FILE(), unsigned l = __builtin_LINE()) : file(f), line(l) {}
};
#define HOTLOOP_HERE hotloop_here here = hotloop_here()

extern "C" __attribute__((import_module("host"), import_name("call"))) unsigned hotloop_host(
    unsigned op, const void* a, const void* b, size_t c, size_t d, const char* file, unsigned line);
extern "C" __attribute__((import_module("host"), import_name("now"))) double hotloop_now();

#ifdef __wasm__
// Called by the checks that the simulator inserts in front of memory accesses.
extern "C" __attribute__((import_module("host"), import_name("touch"))) void hotloop_touch(unsigned, unsigned);
inline __attribute__((used)) void hotloop_touches() { hotloop_touch(0, 0); }
// Only accesses below this address are reported; the simulator sets it.
extern "C" { inline __attribute__((used)) unsigned hotloop_watched = 1; }
inline const char* hotloop_explained(unsigned, const char* text) { return text; }
#else
// The text of an error; if a kernel caused it, also what that kernel did.
extern "C" const char* hotloop_explained(unsigned error, const char* text);
#endif

inline cudaError_t hotloop_ask(unsigned op, const void* a, const void* b, size_t c, size_t d,
                               const hotloop_here& here) {
  return static_cast<cudaError_t>(hotloop_host(op, a, b, c, d, here.file, here.line));
}
inline cudaError_t hotloop_fail(cudaError_t error, const char* what, const hotloop_here& here) {
  return hotloop_ask(HOTLOOP_FAIL, what, nullptr, error, 0, here);
}
inline cudaError_t hotloop_state() { return hotloop_ask(HOTLOOP_STATE, nullptr, nullptr, 0, 0, hotloop_here()); }

// --- launches: the compiler turns k<<<grid, block, shared, stream>>>(a, b) into these calls ------------

enum : unsigned { HOTLOOP_MOST_ARGUMENTS = 128 };
struct hotloop_launch {
  dim3 grid, block;
  unsigned shared, count;
  struct { unsigned offset, size; } arguments[HOTLOOP_MOST_ARGUMENTS];
  alignas(16) unsigned char values[32768];
  hotloop_here here;
};
inline hotloop_launch& hotloop_configured() { static thread_local hotloop_launch launch; return launch; }

inline int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t = nullptr, HOTLOOP_HERE) {
  hotloop_launch& launch = hotloop_configured();
  launch.grid = grid;
  launch.block = block;
  launch.shared = shared < 0xffffffff ? static_cast<unsigned>(shared) : 0xffffffff;
  launch.here = here;
  launch.count = 0;
  return 0;
}
extern "C" {
inline __attribute__((used)) int cudaSetupArgument(const void* argument, size_t size, size_t offset) {
  hotloop_launch& launch = hotloop_configured();
  if (launch.count == HOTLOOP_MOST_ARGUMENTS || offset + size > sizeof launch.values) {
    return hotloop_fail(cudaErrorInvalidConfiguration, "a kernel's call without <<<...>>>", hotloop_here(nullptr, 0));
  }
  memcpy(launch.values + offset, argument, size);
  launch.arguments[launch.count++] = {static_cast<unsigned>(offset), static_cast<unsigned>(size)};
  return 0;
}
inline __attribute__((used)) int cudaLaunch(const void* stub) {
  hotloop_launch& launch = hotloop_configured();
  const cudaError_t error = hotloop_ask(HOTLOOP_LAUNCH, stub, &launch, 0, 0, launch.here);
  launch.count = HOTLOOP_MOST_ARGUMENTS;  // makes a launch without a new configuration fail
  return error;
}
}
// Launches with an array of pointers to the arguments; the simulator knows their sizes.
template <class F>
inline cudaError_t cudaLaunchKernel(F* function, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = nullptr, HOTLOOP_HERE) {
  cudaConfigureCall(grid, block, shared, stream, here);
  return hotloop_ask(HOTLOOP_LAUNCH, (const void*)function, &hotloop_configured(), reinterpret_cast<size_t>(arguments), 0, here);
}
inline int hotloop_resident_blocks(int block, size_t shared) {
  const int by_shared = static_cast<int>((228 << 10) / (shared + 1024));
  const int by_threads = 2048 / ((block + 31) / 32 * 32);
  const int fewer = by_shared < by_threads ? by_shared : by_threads;
  return fewer < 32 ? fewer : 32;
}
template <class F>
inline cudaError_t cudaLaunchCooperativeKernel(F* function, dim3 grid, dim3 block, void** arguments, size_t shared = 0, cudaStream_t stream = nullptr, HOTLOOP_HERE) {
  const void* stub = reinterpret_cast<const void*>(function);
  const unsigned long long threads = 1ull * block.x * block.y * block.z, blocks = 1ull * grid.x * grid.y * grid.z;
  const size_t fixed = hotloop_host(HOTLOOP_STATIC_SHARED, stub, nullptr, 0, 0, here.file, here.line);
  if (threads > 0 && threads <= 1024 && blocks > 132ull * hotloop_resident_blocks(static_cast<int>(threads), shared + fixed)) {
    return hotloop_fail(cudaErrorCooperativeLaunchTooLarge, "a cooperative launch of more blocks than run at the same time", here);
  }
  cudaConfigureCall(grid, block, shared, stream, here);
  return hotloop_ask(HOTLOOP_LAUNCH, stub, &hotloop_configured(), reinterpret_cast<size_t>(arguments), 1, here);
}
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore, cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeCooperative,
  cudaLaunchAttributeSynchronizationPolicy, cudaLaunchAttributeClusterDimension,
  cudaLaunchAttributeClusterSchedulingPolicyPreference, cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributeProgrammaticEvent, cudaLaunchAttributePriority,
};
union cudaLaunchAttributeValue {
  int cooperative, priority, programmaticStreamSerializationAllowed;
  struct { unsigned x, y, z; } clusterDim;
};
struct cudaLaunchAttribute { cudaLaunchAttributeID id; cudaLaunchAttributeValue val; };
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
  cudaLaunchAttribute* attrs = nullptr;
  unsigned numAttrs = 0;
};
// Attributes that say how soon or how near to each other blocks run have no effect here.
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments, HOTLOOP_HERE) {
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& at = config->attrs[i];
    if (at.id == cudaLaunchAttributeClusterDimension && at.val.clusterDim.x * at.val.clusterDim.y * at.val.clusterDim.z > 1) {
      return hotloop_fail(cudaErrorNotSupported, "cudaLaunchKernelEx with clusters, which are not simulated,", here);
    }
    if (at.id == cudaLaunchAttributeCooperative && at.val.cooperative) {
      return cudaLaunchCooperativeKernel(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream, here);
    }
  }
  return cudaLaunchKernel(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes, config->stream, here);
}
template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*function)(Parameters...), Arguments&&... arguments) {
  return [&](Parameters... converted) {
    void* pointers[] = {const_cast<void*>(static_cast<const volatile void*>(&converted))..., nullptr};
    return cudaLaunchKernelExC(config, (const void*)function, pointers, hotloop_here(nullptr, 0));
  }(std::forward<Arguments>(arguments)...);
}
#ifdef __wasm__
constexpr size_t hotloop_host_memory = 0x80000000;  // host memory begins here; the device's is below
#else
constexpr size_t hotloop_host_memory = ~size_t{0};   // one memory for host and device
#endif

// --- memory --------------------------------------------------------------------------------------------

// A size that no GPU has fails as it does there; one that only the simulator has no room for is told by the host.
constexpr unsigned long long hotloop_no_gpu_has = 1ull << 40;
#define HOTLOOP_ALLOCATOR(name, kind, ...)                                                          \
  template <class T>                                                                                \
  inline cudaError_t name(T** pointer, unsigned long long size, ##__VA_ARGS__, HOTLOOP_HERE) {      \
    if (size >= hotloop_no_gpu_has) return hotloop_fail(cudaErrorMemoryAllocation, #name, here);    \
    const size_t most = ~size_t{0};                                                                 \
    return hotloop_ask(HOTLOOP_ALLOCATE, pointer, #name, size < most ? static_cast<size_t>(size) : most, kind, here); \
  }
HOTLOOP_ALLOCATOR(cudaMalloc, HOTLOOP_DEVICE)
HOTLOOP_ALLOCATOR(cudaMallocAsync, HOTLOOP_DEVICE, cudaStream_t)
HOTLOOP_ALLOCATOR(cudaMallocHost, HOTLOOP_PINNED, unsigned = 0)
HOTLOOP_ALLOCATOR(cudaHostAlloc, HOTLOOP_PINNED, unsigned)
HOTLOOP_ALLOCATOR(cudaMallocManaged, HOTLOOP_MANAGED, unsigned = cudaMemAttachGlobal)
template <class T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height, HOTLOOP_HERE) {
  *pitch = (width + 511) / 512 * 512;
  return hotloop_ask(HOTLOOP_ALLOCATE, pointer, "cudaMallocPitch", *pitch * height, HOTLOOP_DEVICE, here);
}
inline cudaError_t hotloop_free(void* pointer, HOTLOOP_HERE) {
  return hotloop_ask(HOTLOOP_FREE, pointer, "cudaFree", HOTLOOP_DEVICE, 0, here);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t, HOTLOOP_HERE) { return hotloop_free(pointer, here); }
inline cudaError_t hotloop_free_host(void* pointer, HOTLOOP_HERE) {
  return hotloop_ask(HOTLOOP_FREE, pointer, "cudaFreeHost", HOTLOOP_PINNED, 0, here);
}
// A call has its line. The name alone is a function of one argument, as a smart pointer wants it.
inline cudaError_t cudaFree(void* pointer) { return hotloop_free(pointer, hotloop_here(nullptr, 0)); }
inline cudaError_t cudaFreeHost(void* pointer) { return hotloop_free_host(pointer, hotloop_here(nullptr, 0)); }
#define cudaFree(...) hotloop_free(__VA_ARGS__)
#define cudaFreeHost(...) hotloop_free_host(__VA_ARGS__)
// Memory from cudaHostAlloc has one address for both sides. Registered memory is page-locked for copies only.
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned, HOTLOOP_HERE) {
  if (reinterpret_cast<size_t>(host) >= hotloop_host_memory) {
    return hotloop_fail(cudaErrorNotSupported, "cudaHostGetDevicePointer of memory that is not cudaHostAlloc's", here);
  }
  *device = static_cast<T*>(host);
  return hotloop_state();
}
inline cudaError_t cudaHostRegister(void*, size_t, unsigned) { return hotloop_state(); }
inline cudaError_t cudaHostUnregister(void*) { return hotloop_state(); }
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind, HOTLOOP_HERE) {
  return hotloop_ask(HOTLOOP_COPY, to, from, size, kind, here);
}
// Added to the kind of a copy that need not be done when its call returns.
constexpr unsigned hotloop_async = 1 << 8;
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return hotloop_ask(HOTLOOP_COPY, to, from, size, kind | hotloop_async, here);
}
inline cudaError_t hotloop_copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, unsigned kind, const hotloop_here& here) {
  if (width > to_pitch || width > from_pitch) return hotloop_fail(cudaErrorInvalidPitchValue, "cudaMemcpy2D", here);
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error = hotloop_ask(HOTLOOP_COPY, static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width, kind, here);
    if (error != cudaSuccess) return error;
  }
  return hotloop_state();
}
inline cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, HOTLOOP_HERE) {
  return hotloop_copy_rows(to, to_pitch, from, from_pitch, width, height, kind, here);
}
inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return hotloop_copy_rows(to, to_pitch, from, from_pitch, width, height, kind | hotloop_async, here);
}
inline cudaError_t cudaMemset(void* pointer, int value, size_t size, HOTLOOP_HERE) {
  return hotloop_ask(HOTLOOP_FILL, pointer, nullptr, size, value, here);
}
inline cudaError_t cudaMemsetAsync(void* pointer, int value, size_t size, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return cudaMemset(pointer, value, size, here);
}
inline cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height, HOTLOOP_HERE) {
  for (size_t row = 0; row < height; ++row) cudaMemset(static_cast<char*>(pointer) + row * pitch, value, width, here);
  return hotloop_state();
}
constexpr size_t hotloop_total_memory = size_t{1} << 30;
inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = hotloop_total_memory;
  *free = *total - hotloop_host(HOTLOOP_USED, nullptr, nullptr, 0, 0, nullptr, 0);
  return hotloop_state();
}
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t = nullptr) { return hotloop_state(); }
inline cudaError_t cudaMemAdvise(const void*, size_t, int, int) { return hotloop_state(); }

// --- symbols: host code holds a shadow of each variable of the device -----------------------------------

inline cudaError_t hotloop_symbol(void** pointer, const void* shadow, size_t end, const hotloop_here& here) {
  return hotloop_ask(HOTLOOP_SYMBOL, pointer, shadow, end, 0, here);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol, HOTLOOP_HERE) {
  return hotloop_symbol(pointer, &symbol, 0, here);
}
template <class T>
inline cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol, HOTLOOP_HERE) {
  return hotloop_ask(HOTLOOP_SYMBOL_SIZE, size, &symbol, 0, 0, here);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, HOTLOOP_HERE) {
  void* to;
  const cudaError_t error = hotloop_symbol(&to, &symbol, offset + size, here);
  return error ? error : cudaMemcpy(static_cast<char*>(to) + offset, from, size, kind, here);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, HOTLOOP_HERE) {
  void* from;
  const cudaError_t error = hotloop_symbol(&from, &symbol, offset + size, here);
  return error ? error : cudaMemcpy(to, static_cast<char*>(from) + offset, size, kind, here);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return cudaMemcpyToSymbol(symbol, from, size, offset, kind, here);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t size, size_t offset, cudaMemcpyKind kind, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return cudaMemcpyFromSymbol(to, symbol, size, offset, kind, here);
}

// --- errors --------------------------------------------------------------------------------------------

inline cudaError_t cudaGetLastError() { return hotloop_ask(HOTLOOP_LAST_ERROR, nullptr, nullptr, 0, 0, hotloop_here()); }
inline cudaError_t cudaPeekAtLastError() { return hotloop_ask(HOTLOOP_PEEK_ERROR, nullptr, nullptr, 0, 0, hotloop_here()); }
#define HOTLOOP_ERRORS(X)                                                                         \
  X(cudaSuccess, "no error")                                                                      \
  X(cudaErrorInvalidValue, "invalid argument")                                                    \
  X(cudaErrorMemoryAllocation, "out of memory")                                                   \
  X(cudaErrorInitializationError, "initialization error")                                         \
  X(cudaErrorInvalidConfiguration, "invalid configuration argument")                              \
  X(cudaErrorInvalidPitchValue, "invalid pitch argument")                                         \
  X(cudaErrorInvalidSymbol, "invalid device symbol")                                              \
  X(cudaErrorInvalidDevicePointer, "invalid device pointer")                                      \
  X(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy")                         \
  X(cudaErrorNoDevice, "no CUDA-capable device is detected")                                      \
  X(cudaErrorInvalidDevice, "invalid device ordinal")                                             \
  X(cudaErrorInvalidResourceHandle, "invalid resource handle")                                    \
  X(cudaErrorNotReady, "device not ready")                                                        \
  X(cudaErrorIllegalAddress, "an illegal memory access was encountered")                          \
  X(cudaErrorLaunchOutOfResources, "too many resources requested for launch")                     \
  X(cudaErrorLaunchTimeout, "the launch timed out and was terminated")                            \
  X(cudaErrorAssert, "device-side assert triggered")                                              \
  X(cudaErrorMisalignedAddress, "misaligned address")                                             \
  X(cudaErrorLaunchFailure, "unspecified launch failure")                                         \
  X(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch")                  \
  X(cudaErrorNotSupported, "operation not supported")                                             \
  X(cudaErrorUnknown, "unknown error")
inline const char* cudaGetErrorName(cudaError_t error) {
#define HOTLOOP_NAME(code, text) if (error == code) return #code;
  HOTLOOP_ERRORS(HOTLOOP_NAME)
#undef HOTLOOP_NAME
  return "unrecognized error code";
}
inline const char* cudaGetErrorString(cudaError_t error) {
#define HOTLOOP_TEXT(code, text) if (error == code) return hotloop_explained(code, text);
  HOTLOOP_ERRORS(HOTLOOP_TEXT)
#undef HOTLOOP_TEXT
  return "unrecognized error code";
}
#ifndef __wasm__
extern "C" inline __attribute__((used)) const char* hotloop_error_text(unsigned error) {
  return cudaGetErrorString(static_cast<cudaError_t>(error));  // for operator.c
}
#endif

// --- device: the limits are those of sm_90 -----------------------------------------------------------------

inline cudaError_t cudaDeviceSynchronize() { return hotloop_ask(HOTLOOP_SYNCHRONIZE, nullptr, nullptr, 0, 0, hotloop_here()); }
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaDeviceReset() { return hotloop_ask(HOTLOOP_RESET, nullptr, nullptr, 0, 0, hotloop_here()); }
inline cudaError_t cudaGetDeviceCount(int* count) { *count = 1; return hotloop_state(); }
inline cudaError_t cudaGetDevice(int* device) { *device = 0; return hotloop_state(); }
inline cudaError_t cudaSetDevice(int device, HOTLOOP_HERE) {
  return device == 0 ? hotloop_state() : hotloop_fail(cudaErrorInvalidDevice, "cudaSetDevice", here);
}
inline cudaError_t cudaSetDeviceFlags(unsigned) { return hotloop_state(); }
inline cudaError_t cudaRuntimeGetVersion(int* version) { *version = CUDART_VERSION; return hotloop_state(); }
inline cudaError_t cudaDriverGetVersion(int* version) { *version = CUDART_VERSION; return hotloop_state(); }
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return hotloop_state(); }
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return hotloop_state(); }
inline cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) { *can = 0; return hotloop_state(); }

inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device, HOTLOOP_HERE) {
  if (device != 0) return hotloop_fail(cudaErrorInvalidDevice, "cudaGetDeviceProperties", here);
  *p = cudaDeviceProp{};
  strcpy(p->name, "Hotloop's simulator (limits of sm_90)");
  p->totalGlobalMem = hotloop_total_memory;
  p->sharedMemPerBlock = 48 << 10;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = 132;
  p->clockRate = p->memoryClockRate = 1000000;
  p->l2CacheSize = 50 << 20;
  p->memoryBusWidth = 5120;
  p->maxThreadsPerMultiProcessor = 2048;
  p->cooperativeLaunch = 1;
  p->maxBlocksPerMultiProcessor = 32;
  p->sharedMemPerMultiprocessor = 228 << 10;
  p->sharedMemPerBlockOptin = 227 << 10;
  p->unifiedAddressing = p->managedMemory = p->canMapHostMemory = p->concurrentManagedAccess = 1;
  p->asyncEngineCount = 1;
  p->persistingL2CacheMaxSize = 32 << 20;
  p->accessPolicyMaxWindowSize = 128 << 20;
  return hotloop_state();
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device, HOTLOOP_HERE) {
  cudaDeviceProp p;
  if (const cudaError_t error = cudaGetDeviceProperties(&p, device, here)) return error;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p.maxThreadsDim[0]; break;
    case cudaDevAttrMaxBlockDimY: *value = p.maxThreadsDim[1]; break;
    case cudaDevAttrMaxBlockDimZ: *value = p.maxThreadsDim[2]; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = p.sharedMemPerBlock; break;
    case cudaDevAttrTotalConstantMemory: *value = p.totalConstMem; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrClockRate: *value = p.clockRate; break;
    case cudaDevAttrMemoryClockRate: *value = p.memoryClockRate; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = p.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMaxPitch: *value = p.memPitch; break;
    case cudaDevAttrTextureAlignment: *value = 512; break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess: *value = 1; break;
    default: *value = 0; break;  // attributes that the device lacks
  }
  return hotloop_state();
}

// --- streams and events: everything is done when its call returns ----------------------------------------

struct hotloop_stream {};
// work: which launches it comes behind, if the host has not waited for them yet.
struct hotloop_event { double when; bool recorded; unsigned work; };
inline unsigned hotloop_work() { return hotloop_host(HOTLOOP_WORK, nullptr, nullptr, 0, 0, nullptr, 0); }

inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { *stream = new hotloop_stream; return hotloop_state(); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) { return cudaStreamCreate(stream); }
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) { *least = *greatest = 0; return hotloop_state(); }
inline cudaError_t cudaStreamDestroy(cudaStream_t stream) { delete stream; return hotloop_state(); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaDeviceSynchronize(); }
inline cudaError_t cudaStreamQuery(cudaStream_t) { return cudaDeviceSynchronize(); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) { return hotloop_state(); }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { *event = new hotloop_event{}; return hotloop_state(); }
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned = cudaEventDefault) { return cudaEventCreateWithFlags(event, 0); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { delete event; return hotloop_state(); }
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t = nullptr, HOTLOOP_HERE) {
  if (!event) return hotloop_fail(cudaErrorInvalidResourceHandle, "cudaEventRecord", here);
  *event = {hotloop_now(), true, hotloop_work()};
  return hotloop_state();
}
inline cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaDeviceSynchronize(); }
inline cudaError_t cudaEventQuery(cudaEvent_t) { return cudaDeviceSynchronize(); }
inline cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop, HOTLOOP_HERE) {
  if (!start || !stop || !start->recorded || !stop->recorded) return hotloop_fail(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime", here);
  const unsigned work = hotloop_work();
  if (work && (start->work == work || stop->work == work)) {
    return hotloop_fail(cudaErrorNotReady, "cudaEventElapsedTime before a wait for the event, as cudaEventSynchronize() is,", here);
  }
  *milliseconds = static_cast<float>((stop->when - start->when) * 1e3);
  return hotloop_state();
}

// --- functions ----------------------------------------------------------------------------------------------

template <class F>
inline cudaError_t cudaFuncSetAttribute(F* function, cudaFuncAttribute attribute, int value, HOTLOOP_HERE) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return hotloop_state();
  return hotloop_ask(HOTLOOP_ALLOW_SHARED, reinterpret_cast<const void*>(function), nullptr, value, 0, here);
}
template <class F>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, F* function, HOTLOOP_HERE) {
  *attributes = cudaFuncAttributes{};
  const void* stub = reinterpret_cast<const void*>(function);
  attributes->maxThreadsPerBlock = hotloop_host(HOTLOOP_MOST_THREADS, stub, nullptr, 0, 0, here.file, here.line);
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->sharedSizeBytes = hotloop_host(HOTLOOP_STATIC_SHARED, stub, nullptr, 0, 0, here.file, here.line);
  attributes->maxDynamicSharedSizeBytes = hotloop_host(HOTLOOP_SHARED_ALLOWED, stub, nullptr, 0, 0, here.file, here.line);
  return hotloop_state();
}
template <class F>
inline cudaError_t cudaFuncSetCacheConfig(F*, cudaFuncCache) { return hotloop_state(); }
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F* function, int block, size_t dynamic, HOTLOOP_HERE) {
  if (block <= 0 || block > 1024) return hotloop_fail(cudaErrorInvalidValue, "an occupancy calculation", here);
  const void* stub = reinterpret_cast<const void*>(function);
  *blocks = hotloop_resident_blocks(block, dynamic + hotloop_host(HOTLOOP_STATIC_SHARED, stub, nullptr, 0, 0, here.file, here.line));
  return hotloop_state();
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, F* function, size_t dynamic = 0, int limit = 0) {
  const int most = hotloop_host(HOTLOOP_MOST_THREADS, reinterpret_cast<const void*>(function), nullptr, 0, 0, nullptr, 0);
  *block = limit > 0 && limit < most ? limit : most;
  *grid = 132 * hotloop_resident_blocks(*block, dynamic);
  return hotloop_state();
}
template <class F, class Shared>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid, int* block, F* function, Shared shared_of, int limit = 0) {
  cudaOccupancyMaxPotentialBlockSize(grid, block, function, 0, limit);
  *grid = 132 * hotloop_resident_blocks(*block, shared_of(*block));
  return hotloop_state();
}
template <class F, class Shared>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* grid, int* block, F* function, Shared shared_of, int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, function, shared_of, limit);
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block, F* function, size_t dynamic = 0, int limit = 0, unsigned = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid, block, function, dynamic, limit);
}
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, F* function, int block, size_t dynamic, unsigned, HOTLOOP_HERE) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, dynamic, here);
}
