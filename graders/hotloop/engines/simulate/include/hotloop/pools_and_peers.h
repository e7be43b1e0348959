// The answers of a single device about pools, peers, L2 policies and host functions of streams.
#pragma once

#include "hotloop/runtime.h"

// --- locations and advice ----------------------------------------------------------------------------------

enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
struct cudaMemLocation { cudaMemLocationType type; int id; };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy,
};
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t = nullptr) { return hotloop_state(); }
inline cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) { return hotloop_state(); }
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t = 0, unsigned = cudaMemAttachHost) { return hotloop_state(); }

// --- pools: memory is the device's, so that a pool holds nothing back ----------------------------------------

struct hotloop_pool {};
typedef hotloop_pool* cudaMemPool_t;
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1, cudaMemPoolReuseAllowOpportunistic, cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh,
  cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh,
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType { cudaMemHandleTypeNone, cudaMemHandleTypePosixFileDescriptor };
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite = 3 };
struct cudaMemAccessDesc { cudaMemLocation location; cudaMemAccessFlags flags; };
struct cudaMemPoolProps { cudaMemAllocationType allocType; cudaMemAllocationHandleType handleTypes; cudaMemLocation location; size_t maxSize; };

inline cudaMemPool_t hotloop_only_pool() { static hotloop_pool pool; return &pool; }
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) { *pool = hotloop_only_pool(); return hotloop_state(); }
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int) { *pool = hotloop_only_pool(); return hotloop_state(); }
inline cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return hotloop_state(); }
inline cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties, HOTLOOP_HERE) {
  if (properties->handleTypes != cudaMemHandleTypeNone) return hotloop_fail(cudaErrorNotSupported, "cudaMemPoolCreate for other processes", here);
  *pool = new hotloop_pool;
  return hotloop_state();
}
inline cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { delete pool; return hotloop_state(); }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return hotloop_state(); }
inline cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) { return hotloop_state(); }
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return hotloop_state(); }
template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t size, cudaMemPool_t, cudaStream_t stream, HOTLOOP_HERE) {
  return cudaMallocAsync(pointer, size, stream, here);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** pointer, size_t size, cudaMemPool_t, cudaStream_t stream, HOTLOOP_HERE) {
  return cudaMallocAsync(pointer, size, stream, here);
}

// --- peers: there are none -----------------------------------------------------------------------------------

enum cudaDeviceP2PAttr {
  cudaDevP2PAttrPerformanceRank = 1, cudaDevP2PAttrAccessSupported, cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported,
};
inline cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int, HOTLOOP_HERE) {
  return hotloop_fail(cudaErrorInvalidDevice, "cudaDeviceGetP2PAttribute", here);
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned, HOTLOOP_HERE) {
  return hotloop_fail(cudaErrorInvalidDevice, "cudaDeviceEnablePeerAccess", here);
}
inline cudaError_t cudaDeviceDisablePeerAccess(int, HOTLOOP_HERE) {
  return hotloop_fail(cudaErrorInvalidDevice, "cudaDeviceDisablePeerAccess", here);
}
inline cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t size, HOTLOOP_HERE) {
  if (to_device || from_device) return hotloop_fail(cudaErrorInvalidDevice, "cudaMemcpyPeer", here);
  return cudaMemcpy(to, from, size, cudaMemcpyDeviceToDevice, here);
}
inline cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t size, cudaStream_t = nullptr, HOTLOOP_HERE) {
  return cudaMemcpyPeer(to, to_device, from, from_device, size, here);
}

// --- streams: attributes are accepted and change nothing; what the host does in a stream it does at once ----------

enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow { void* base_ptr; size_t num_bytes; float hitRatio; cudaAccessProperty hitProp, missProp; };
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1, cudaStreamAttributeSynchronizationPolicy = 3, cudaStreamAttributePriority = 8 };
union cudaStreamAttrValue { cudaAccessPolicyWindow accessPolicyWindow; int syncPolicy, priority; };
inline cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) { return hotloop_state(); }
inline cudaError_t cudaCtxResetPersistingL2Cache() { return hotloop_state(); }

typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void*);
typedef void (*cudaHostFn_t)(void*);
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* argument, unsigned) {
  function(stream, hotloop_state(), argument);
  return hotloop_state();
}
inline cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* argument) {
  if (!hotloop_state()) function(argument);
  return hotloop_state();
}
