/* A CUDA driver without a GPU: device memory is a memfd, mapping it is mmap, access is mprotect.
 *
 * It implements the calls that the judge and the worker use, and refuses what the real driver
 * refuses (no context, wrong size, no access without a mapping), so that sharing memory between
 * processes is tested for real: an export is a file descriptor, an import works in another process,
 * and a write to a read-only mapping faults. It computes nothing and is no simulator. */
#define _GNU_SOURCE
#include "control.h"
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef int CUresult;
typedef unsigned long long u64;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100,
       INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_READY = 600 };
enum { GRANULARITY = 2 << 20, MOST = 512, POSIX_FD = 1, PINNED = 1, DEVICE = 1 };

typedef struct { int type, id; } Location;
typedef struct { Location location; int flags; } Access;
typedef struct { int type, handle_types; Location location; void *windows; char flags[8]; } Properties;

static struct { int fd; size_t size; int exportable; } handles[MOST];
static struct { u64 address; size_t size; int mapped; } ranges[MOST];
static long long used;
static int initialised, current;

#define NEED_CONTEXT do { if (!initialised) return NOT_INITIALIZED; \
                          if (!current) return INVALID_CONTEXT; } while (0)

CUresult cuInit(unsigned flags) {
  if (control("init_error", 0)) return (CUresult)control("init_error", 0);
  initialised = flags == 0;
  return initialised ? OK : INVALID_VALUE;
}
CUresult cuDriverGetVersion(int *version) { *version = 13000; return OK; }
CUresult cuGetErrorName(CUresult code, const char **name) {
  static const struct { int code; const char *name; } names[] = {
      {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {3, "CUDA_ERROR_NOT_INITIALIZED"}, {100, "CUDA_ERROR_NO_DEVICE"},
      {101, "CUDA_ERROR_INVALID_DEVICE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {400, "CUDA_ERROR_INVALID_HANDLE"}, {600, "CUDA_ERROR_NOT_READY"}};
  *name = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code) *name = names[i].name;
  return *name ? OK : INVALID_VALUE;
}
CUresult cuDeviceGetCount(int *count) {
  if (!initialised) return NOT_INITIALIZED;
  *count = (int)control("devices", 1);
  return OK;
}
CUresult cuDeviceGet(int *device, int ordinal) {
  if (!initialised) return NOT_INITIALIZED;
  if (ordinal < 0 || ordinal >= control("devices", 1)) return INVALID_DEVICE;
  *device = ordinal;
  return OK;
}
CUresult cuDeviceGetName(char *name, int length, int device) {
  snprintf(name, length, "Fake GPU %d", device);
  return OK;
}
CUresult cuDeviceGetPCIBusId(char *bus, int length, int device) {
  snprintf(bus, length, "0000:%02X:00.0", device);
  return OK;
}
CUresult cuDeviceGetAttribute(int *value, int which, int device) {
  (void)device;
  switch (which) {
    case 16: *value = 4; return OK;
    case 38: *value = 1 << 20; return OK;
    case 75: *value = 9; return OK;
    case 76: *value = 0; return OK;
    case 102: *value = (int)control("virtual_memory", 1); return OK;
    case 103: *value = (int)control("posix_descriptors", 1); return OK;
  }
  return INVALID_VALUE;
}
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  if (!initialised) return NOT_INITIALIZED;
  *context = (void *)(intptr_t)(device + 1);
  return OK;
}
CUresult cuCtxSetCurrent(void *context) { current = context != NULL; return OK; }
CUresult cuCtxSynchronize(void) { NEED_CONTEXT; note("synchronize"); return OK; }
CUresult cuCtxResetPersistingL2Cache(void) { NEED_CONTEXT; note("reset_l2"); return OK; }

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  NEED_CONTEXT;
  *total = (size_t)control("total", 1LL << 30);
  *free_bytes = *total - used - control("held", 0);
  return OK;
}
CUresult cuMemGetAllocationGranularity(size_t *size, const Properties *p, int option) {
  (void)option;
  if (p->type != PINNED || p->location.type != DEVICE) return INVALID_VALUE;
  *size = GRANULARITY;
  return OK;
}
static CUresult keep(u64 *handle, int fd, size_t size, int exportable) {
  for (int i = 1; i < MOST; i++)
    if (!handles[i].size) {
      handles[i].fd = fd; handles[i].size = size; handles[i].exportable = exportable;
      *handle = i;
      return OK;
    }
  return OUT_OF_MEMORY;
}
CUresult cuMemCreate(u64 *handle, size_t size, const Properties *p, u64 flags) {
  NEED_CONTEXT;
  if (!size || size % GRANULARITY || flags || p->type != PINNED) return INVALID_VALUE;
  size_t free_bytes, total;
  cuMemGetInfo_v2(&free_bytes, &total);
  if (size > free_bytes) return OUT_OF_MEMORY;
  int fd = memfd_create("fakecuda", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, size)) return OUT_OF_MEMORY;
  used += size;
  note("create %zu", size);
  return keep(handle, fd, size, p->handle_types & POSIX_FD);
}
CUresult cuMemRelease(u64 handle) {
  if (!handle || handle >= MOST || !handles[handle].size) return INVALID_HANDLE;
  if (handles[handle].exportable) used -= handles[handle].size;
  close(handles[handle].fd);
  handles[handle].size = 0;
  note("release");
  return OK;
}
CUresult cuMemExportToShareableHandle(void *out, u64 handle, int type, u64 flags) {
  if (!handle || handle >= MOST || !handles[handle].size) return INVALID_HANDLE;
  if (!handles[handle].exportable || type != POSIX_FD || flags) return INVALID_VALUE;
  *(int *)out = dup(handles[handle].fd);
  note("export %zu", handles[handle].size);
  return OK;
}
CUresult cuMemImportFromShareableHandle(u64 *handle, void *fd, int type) {
  NEED_CONTEXT;
  struct stat status;
  int copy = dup((int)(intptr_t)fd);
  if (type != POSIX_FD || copy < 0 || fstat(copy, &status)) return INVALID_VALUE;
  note("import %zu", (size_t)status.st_size);
  return keep(handle, copy, status.st_size, 0);
}

static int range_at(u64 address) {
  for (int i = 0; i < MOST; i++)
    if (ranges[i].size && ranges[i].address == address) return i;
  return -1;
}
CUresult cuMemAddressReserve(u64 *address, size_t size, size_t alignment, u64 hint, u64 flags) {
  (void)alignment; (void)hint; (void)flags;
  NEED_CONTEXT;
  if (!size || size % GRANULARITY) return INVALID_VALUE;
  for (int i = 0; i < MOST; i++)
    if (!ranges[i].size) {
      void *at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (at == MAP_FAILED) return OUT_OF_MEMORY;
      ranges[i].address = (u64)at; ranges[i].size = size; ranges[i].mapped = 0;
      *address = (u64)at;
      note("reserve %zu", size);
      return OK;
    }
  return OUT_OF_MEMORY;
}
CUresult cuMemAddressFree(u64 address, size_t size) {
  int i = range_at(address);
  if (i < 0 || ranges[i].size != size || ranges[i].mapped) return INVALID_VALUE;
  munmap((void *)address, size);
  ranges[i].size = 0;
  return OK;
}
CUresult cuMemMap(u64 address, size_t size, size_t offset, u64 handle, u64 flags) {
  int i = range_at(address);
  if (i < 0 || ranges[i].mapped || ranges[i].size < size || offset || flags) return INVALID_VALUE;
  if (!handle || handle >= MOST || handles[handle].size < size) return INVALID_VALUE;
  void *at = mmap((void *)address, size, PROT_NONE, MAP_SHARED | MAP_FIXED, handles[handle].fd, 0);
  if (at == MAP_FAILED) return INVALID_VALUE;
  ranges[i].mapped = 1;
  note("map %zu", size);
  return OK;
}
CUresult cuMemSetAccess(u64 address, size_t size, const Access *access, size_t count) {
  int i = range_at(address);
  if (i < 0 || !ranges[i].mapped || count != 1) return INVALID_VALUE;
  if (access->flags == 1 && control("no_read_only", 0)) return (CUresult)control("no_read_only", 0);
  int protection = access->flags == 3 ? PROT_READ | PROT_WRITE : access->flags == 1 ? PROT_READ : 0;
  note("access %zu %s", size, access->flags == 3 ? "rw" : access->flags == 1 ? "r" : "none");
  return mprotect((void *)address, size, protection) ? INVALID_VALUE : OK;
}
CUresult cuMemUnmap(u64 address, size_t size) {
  int i = range_at(address);
  if (i < 0 || !ranges[i].mapped) return INVALID_VALUE;
  mmap((void *)address, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  ranges[i].mapped = 0;
  note("unmap %zu", size);
  return OK;
}

CUresult cuMemcpyHtoD_v2(u64 to, const void *from, size_t n) { NEED_CONTEXT; memcpy((void *)to, from, n); return OK; }
CUresult cuMemcpyDtoH_v2(void *to, u64 from, size_t n) { NEED_CONTEXT; memcpy(to, (void *)from, n); return OK; }
CUresult cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t n, void *s) { (void)s; return cuMemcpyHtoD_v2(to, from, n); }
CUresult cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t n, void *s) { (void)s; return cuMemcpyDtoH_v2(to, from, n); }
CUresult cuMemsetD32_v2(u64 to, unsigned word, size_t count) {
  NEED_CONTEXT;
  for (size_t i = 0; i < count; i++) ((unsigned *)to)[i] = word;
  return OK;
}

CUresult cuStreamCreate(void **stream, unsigned flags) { (void)flags; NEED_CONTEXT; *stream = malloc(1); return OK; }
CUresult cuStreamSynchronize(void *stream) { (void)stream; return OK; }
CUresult cuStreamDestroy_v2(void *stream) { free(stream); return OK; }
CUresult cuEventCreate(void **event, unsigned flags) { (void)flags; NEED_CONTEXT; *event = malloc(1); return OK; }
CUresult cuEventRecord(void *event, void *stream) { (void)event; (void)stream; NEED_CONTEXT; return OK; }
CUresult cuEventQuery(void *event) { (void)event; return control("busy", 0) ? NOT_READY : OK; }
CUresult cuEventSynchronize(void *event) { (void)event; return OK; }
CUresult cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  (void)from; (void)to; /* Whatever it is, it takes 10 ms, and longer beside somebody else. */
  *milliseconds = 10 + control("contention_us", 0) * 1e-3f;
  return OK;
}
CUresult cuEventDestroy_v2(void *event) { free(event); return OK; }
