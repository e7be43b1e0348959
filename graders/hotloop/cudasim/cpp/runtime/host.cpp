// The runtime API: one simulated device that does everything at once and in order.

#include "host.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "cuda_runtime_api.h"
#include "findings.h"
#include "functions.h"
#include "memory.h"
#include "shared.h"

struct cudasim_stream {};
struct cudasim_event {
  std::chrono::steady_clock::time_point when;
  bool recorded = false;
};

namespace cudasim {
namespace {

// What the device says of itself: the limits are those of sm_90.
constexpr int kProcessors = 132;
constexpr int kThreadsPerProcessor = 2048;
constexpr int kBlocksPerProcessor = 32;
constexpr size_t kSharedPerProcessor = 228 << 10;
constexpr size_t kReservedShared = 1 << 10;  // the driver's own, of each block
constexpr size_t kTotalMemory = size_t{16} << 30;
constexpr size_t kPitch = 512;

struct Errors {
  cudaError_t last = cudaSuccess;
  cudaError_t sticky = cudaSuccess;
  bool is_launch = false;
  bool asked = false;
  Pc at = nullptr;
  std::string what;
};

Errors& errors() {
  static Errors* all = new Errors;
  return *all;
}

cudaError_t fail(cudaError_t error, Pc at, const char* what) {
  Errors& e = errors();
  e.last = error;
  e.is_launch = e.asked = false;
  e.at = at;
  e.what = what;
  return error;
}

// A sticky error answers every later call, as on a GPU.
cudaError_t answer() { return errors().sticky; }

std::map<const void*, size_t>& dynamic_limits() {
  static auto* all = new std::map<const void*, size_t>;
  return *all;
}

// A range that the device may read or write, or one of the host's.
bool is_valid_range(const void* pointer, size_t size) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (const Region* region = memory().find(address)) return region->holds(address, size);
  return pointer != nullptr && !memory().is_device(address);
}

bool fits_direction(const void* to, const void* from, cudaMemcpyKind kind) {
  const bool to_device = memory().is_device(reinterpret_cast<uintptr_t>(to));
  const bool from_device = memory().is_device(reinterpret_cast<uintptr_t>(from));
  switch (kind) {
    case cudaMemcpyHostToHost: return !to_device && !from_device;
    case cudaMemcpyHostToDevice: return !from_device;
    case cudaMemcpyDeviceToHost: return !to_device;
    default: return true;
  }
}

void note_written(const void* pointer, size_t size) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (Region* region = memory().find(address)) region->set_written(address, size);
}

cudaError_t copy(void* to, const void* from, size_t size, cudaMemcpyKind kind, Pc at) {
  if (!size) return answer();
  if (!fits_direction(to, from, kind)) {
    return fail(cudaErrorInvalidValue, at, "cudaMemcpy in a direction that its pointers are not");
  }
  if (!is_valid_range(to, size) || !is_valid_range(from, size)) {
    return fail(cudaErrorInvalidValue, at, "cudaMemcpy beyond an allocation");
  }
  memory().open();
  std::memmove(to, from, size);
  memory().shut();
  note_written(to, size);
  return answer();
}

struct Name {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr Name kNames[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Name& name_of(cudaError_t error) {
  for (const Name& known : kNames) {
    if (known.error == error) return known;
  }
  return kNames[sizeof kNames / sizeof *kNames - 1];
}

bool is_sticky(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchFailure ||
         error == cudaErrorMisalignedAddress || error == cudaErrorAssert;
}

}  // namespace

void remember(Failure failure, Pc at, const char* what) {
  const auto error = static_cast<cudaError_t>(failure);
  fail(error, at, what);
  errors().is_launch = true;
  if (is_sticky(error)) errors().sticky = error;
}

void report_unchecked_errors() {
  const Errors& e = errors();
  if (e.last == cudaSuccess || e.asked || is_sticky(e.last)) return;
  Finding finding;
  finding.kind = e.is_launch ? "unchecked_error" : "failed_call";
  finding.text = format("%s failed with %s (%s)", e.what.c_str(), name_of(e.last).name,
                        name_of(e.last).text);
  finding.text += e.is_launch ? ", and nobody asked: look at cudaGetLastError()."
                              : ". If that was expected, clear it with cudaGetLastError().";
  finding.witnesses = {{e.at, "fails", false, {}}};
  findings().add(std::move(finding));
}

void forget_errors() { errors() = Errors(); }

bool is_lost() { return is_sticky(errors().sticky); }

size_t dynamic_shared_allowed(const void* entry) {
  if (!entry) {
    // A template whose arguments the launch left open: what was allowed to any kernel.
    size_t most = kSharedWithoutAsking;
    for (const auto& [function, allowed] : dynamic_limits()) most = std::max(most, allowed);
    return most;
  }
  const auto found = dynamic_limits().find(entry);
  return found == dynamic_limits().end() ? kSharedWithoutAsking : found->second;
}

}  // namespace cudasim

using namespace cudasim;

#define CUDASIM_HERE __builtin_return_address(0)

extern "C" {

// --- memory ----------------------------------------------------------------------------------

cudaError_t cudaMalloc(void** pointer, size_t size) {
  if (!pointer) return fail(cudaErrorInvalidValue, CUDASIM_HERE, "cudaMalloc");
  *pointer = size ? memory().allocate(size, CUDASIM_HERE) : nullptr;
  if (size && !*pointer) return fail(cudaErrorMemoryAllocation, CUDASIM_HERE, "cudaMalloc");
  return answer();
}

cudaError_t cudaFree(void* pointer) {
  if (!pointer || memory().release(pointer, CUDASIM_HERE)) return answer();
  return fail(cudaErrorInvalidValue, CUDASIM_HERE, "cudaFree of what is not allocated");
}

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t) {
  return cudaMalloc(pointer, size);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }

cudaError_t cudaMallocHost(void** pointer, size_t size) {
  *pointer = memory().allocate_for_both(size, CUDASIM_HERE, "page-locked allocation");
  if (!*pointer) return fail(cudaErrorMemoryAllocation, CUDASIM_HERE, "cudaMallocHost");
  return answer();
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned) {
  return cudaMallocHost(pointer, size);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (!pointer) return answer();
  const bool of_host = !memory().is_device(reinterpret_cast<uintptr_t>(pointer));
  if (!of_host || !memory().release(pointer, CUDASIM_HERE)) {
    return fail(cudaErrorInvalidValue, CUDASIM_HERE, "cudaFreeHost");
  }
  std::free(pointer);
  memory().remove(pointer);
  return answer();
}

cudaError_t cudasim_malloc_managed(void** pointer, size_t size) {
  *pointer = memory().allocate_for_both(size, CUDASIM_HERE, "managed allocation");
  if (!*pointer) return fail(cudaErrorMemoryAllocation, CUDASIM_HERE, "cudaMallocManaged");
  return answer();
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  *pointer = memory().allocate(*pitch * height, CUDASIM_HERE);
  if (!*pointer) return fail(cudaErrorMemoryAllocation, CUDASIM_HERE, "cudaMallocPitch");
  return answer();
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
  return copy(to, from, size, kind, CUDASIM_HERE);
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  if (width > to_pitch || width > from_pitch) {
    return fail(cudaErrorInvalidPitchValue, CUDASIM_HERE, "cudaMemcpy2D");
  }
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        copy(static_cast<char*>(to) + row * to_pitch,
             static_cast<const char*>(from) + row * from_pitch, width, kind, CUDASIM_HERE);
    if (error != cudaSuccess) return error;
  }
  return answer();
}

cudaError_t cudaMemset(void* pointer, int value, size_t size) {
  if (!size) return answer();
  if (!is_valid_range(pointer, size)) {
    return fail(cudaErrorInvalidValue, CUDASIM_HERE, "cudaMemset beyond an allocation");
  }
  memory().open();
  std::memset(pointer, value, size);
  memory().shut();
  note_written(pointer, size);
  return answer();
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = kTotalMemory;
  *free = kTotalMemory - memory().used();
  return answer();
}

void cudasim_symbol(void* variable, size_t size, const char* name, cudasim_symbol_kind kind) {
  const bool constant = kind == CUDASIM_CONSTANT_SYMBOL;
  const bool managed = kind == CUDASIM_MANAGED_SYMBOL;
  const char* what = constant  ? "__constant__ variable"
                     : managed ? "__managed__ variable"
                               : "__device__ variable";
  Region& region =
      memory().add(variable, size, constant ? Space::Constant : Space::Global, what, name);
  region.of_device = !managed;
}

cudaError_t cudasim_symbol_copy(void* symbol, void* other, size_t size, size_t offset,
                                int to_symbol) {
  const Region* region = memory().at(symbol);
  if (!region) return fail(cudaErrorInvalidSymbol, CUDASIM_HERE, "a copy to or from a symbol");
  if (offset + size > region->size()) {
    return fail(cudaErrorInvalidValue, CUDASIM_HERE, "a copy beyond the end of a symbol");
  }
  void* inside = static_cast<char*>(symbol) + offset;
  memory().open();
  std::memcpy(to_symbol ? inside : other, to_symbol ? other : inside, size);
  memory().shut();
  return answer();
}

cudaError_t cudasim_symbol_address(void** pointer, const void* symbol) {
  if (!memory().at(symbol)) return fail(cudaErrorInvalidSymbol, CUDASIM_HERE, "a symbol");
  *pointer = const_cast<void*>(symbol);
  return answer();
}

cudaError_t cudasim_symbol_size(size_t* size, const void* symbol) {
  const Region* region = memory().at(symbol);
  if (!region) return fail(cudaErrorInvalidSymbol, CUDASIM_HERE, "a symbol");
  *size = region->size();
  return answer();
}

// --- errors ----------------------------------------------------------------------------------

cudaError_t cudaGetLastError() {
  Errors& e = errors();
  const cudaError_t error = e.sticky ? e.sticky : e.last;
  e.last = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  errors().asked = true;
  return errors().sticky ? errors().sticky : errors().last;
}
const char* cudaGetErrorName(cudaError_t error) { return name_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return name_of(error).text; }

// --- device ----------------------------------------------------------------------------------

cudaError_t cudaDeviceSynchronize() { return answer(); }
cudaError_t cudaDeviceReset() {
  forget_errors();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return answer();
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return answer();
}

cudaError_t cudaSetDevice(int device) {
  if (device == 0) return answer();
  return fail(cudaErrorInvalidDevice, CUDASIM_HERE, "cudaSetDevice");
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  if (device != 0) return fail(cudaErrorInvalidDevice, CUDASIM_HERE, "cudaGetDeviceProperties");
  *p = cudaDeviceProp{};
  std::snprintf(p->name, sizeof p->name, "Hotloop's simulator (limits of sm_90)");
  p->totalGlobalMem = kTotalMemory;
  p->sharedMemPerBlock = kSharedWithoutAsking;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = kWarpSize;
  p->memPitch = 0x7fffffff;
  p->maxThreadsPerBlock = kMaxThreads;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = kProcessors;
  p->l2CacheSize = 50 << 20;
  p->memoryBusWidth = 5120;
  p->maxThreadsPerMultiProcessor = kThreadsPerProcessor;
  p->maxBlocksPerMultiProcessor = kBlocksPerProcessor;
  p->sharedMemPerMultiprocessor = kSharedPerProcessor;
  p->sharedMemPerBlockOptin = kSharedAtMost;
  p->unifiedAddressing = p->managedMemory = p->canMapHostMemory = 1;
  p->asyncEngineCount = 1;
  return answer();
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, device) == cudaErrorInvalidDevice) return cudaErrorInvalidDevice;
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
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = p.sharedMemPerBlockOptin; break;
    case cudaDevAttrCooperativeLaunch: *value = 0; break;
    default: return fail(cudaErrorInvalidValue, CUDASIM_HERE, "cudaDeviceGetAttribute");
  }
  return answer();
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return answer();
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

// --- streams and events ----------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new cudasim_stream;
  return answer();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return answer();
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return answer(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return answer(); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new cudasim_event;
  return answer();
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return answer();
}

cudaError_t cudasim_event_record(cudaEvent_t event) {
  if (!event) return fail(cudaErrorInvalidResourceHandle, CUDASIM_HERE, "cudaEventRecord");
  event->when = std::chrono::steady_clock::now();
  event->recorded = true;
  return answer();
}

cudaError_t cudaEventSynchronize(cudaEvent_t) { return answer(); }
cudaError_t cudaEventQuery(cudaEvent_t) { return answer(); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (!start || !stop || !start->recorded || !stop->recorded) {
    return fail(cudaErrorInvalidResourceHandle, CUDASIM_HERE, "cudaEventElapsedTime");
  }
  *milliseconds = std::chrono::duration<float, std::milli>(stop->when - start->when).count();
  return answer();
}

// --- functions -------------------------------------------------------------------------------

cudaError_t cudasim_function_attribute(const void* function, cudaFuncAttribute attribute,
                                       int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return answer();
  if (value < 0 || static_cast<size_t>(value) > kSharedAtMost) {
    return fail(cudaErrorInvalidValue, CUDASIM_HERE, "cudaFuncSetAttribute");
  }
  dynamic_limits()[function] = value;
  return answer();
}

cudaError_t cudasim_function_attributes(cudaFuncAttributes* attributes, const void* function) {
  *attributes = cudaFuncAttributes{};
  attributes->maxThreadsPerBlock = kMaxThreads;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(dynamic_shared_allowed(function));
  return answer();
}

cudaError_t cudasim_occupancy(int* blocks, int block_size, size_t dynamic_shared) {
  if (block_size <= 0 || block_size > static_cast<int>(kMaxThreads)) {
    return fail(cudaErrorInvalidValue, CUDASIM_HERE, "an occupancy calculation");
  }
  const int by_shared =
      static_cast<int>(kSharedPerProcessor / (dynamic_shared + kReservedShared));
  const int by_threads = kThreadsPerProcessor / ((block_size + 31) / 32 * 32);
  *blocks = std::min({by_threads, by_shared, kBlocksPerProcessor});
  return answer();
}
}
