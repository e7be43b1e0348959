/* A CUDA driver without a GPU: device memory is a memfd, mapping it is mmap, access is mprotect.
 *
 * It implements the calls that the judge and the worker use, and refuses what the real driver
 * refuses (no context, wrong size, no access without a mapping, anything after a fault), so that
 * sharing memory between processes is tested for real: an export is a file descriptor, an import
 * works in another process, a write to a read-only mapping faults, and memory is free when nobody
 * holds or maps it any more, in whatever process. It computes nothing and is no simulator.
 *
 * A device that is at work: `fake_launch(ns)` begins work that ends after so long, whatever becomes
 * of the process meanwhile; a process waits for its own work only, and a probe takes turns with that
 * of others. `fake_fault()` is an access outside of all memory: the context is lost.
 *
 * FAKECUDA_NODE: the device node that a process must be able to open, where there is one. */
#define _GNU_SOURCE
#include "control.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

typedef int CUresult;
typedef unsigned long long u64;
enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NOT_INITIALIZED = 3, NO_DEVICE = 100,
       INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_READY = 600,
       ILLEGAL_ADDRESS = 700 };
enum { GRANULARITY = 2 << 20, MOST = 512, POSIX_FD = 1, PINNED = 1, DEVICE = 1 };

typedef struct { int type, id; } Location;
typedef struct { Location location; int flags; } Access;
typedef struct { int type, handle_types; Location location; void *windows; char flags[8]; } Properties;

static struct { int fd; size_t size; int exportable; } handles[MOST];
static struct { u64 address; size_t size; int mapped; } ranges[MOST];
static int initialized, current, sticky;

#define NEED_CONTEXT do { if (!initialized) return NOT_INITIALIZED; \
                          if (sticky) return sticky; \
                          if (!current) return INVALID_CONTEXT; } while (0)

/* Who uses the device, and until when it works for them: shared by all processes of a test. */
typedef struct { int pid; long long until; } Client;
enum { CLIENTS = 64 };
static Client *clients, *own, alone[CLIENTS];

static void meet_others(void) {
  const char *path = getenv("FAKECUDA_CONTROL");
  char name[4096];
  int fd = -1;
  if (path && snprintf(name, sizeof name, "%s.clients", path) < (int)sizeof name)
    fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  clients = alone;
  if (fd >= 0 && !ftruncate(fd, sizeof alone)) {
    void *at = mmap(NULL, sizeof alone, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at != MAP_FAILED) clients = at;
  }
  if (fd >= 0) close(fd);
  for (int i = 0; i < CLIENTS; i++) {
    int none = 0;
    if (__atomic_compare_exchange_n(&clients[i].pid, &none, (int)getpid(), 0, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST) || none == getpid()) {
      own = &clients[i];
      return;
    }
  }
  own = alone;
}
static long long others_until(void) {
  long long latest = 0;
  for (int i = 0; i < CLIENTS; i++)
    if (&clients[i] != own && clients[i].until > latest) latest = clients[i].until;
  return latest;
}
static void wait_until(long long when) {
  for (long long left; (left = when - nanoseconds()) > 0;) usleep((useconds_t)(left / 1000 + 1));
}
CUresult fake_launch(long long ns) {
  NEED_CONTEXT;
  long long now = nanoseconds();
  own->until = (own->until > now ? own->until : now) + ns;
  return OK;
}
void fake_fault(void) { sticky = ILLEGAL_ADDRESS; }

CUresult cuInit(unsigned flags) {
  const char *node = getenv("FAKECUDA_NODE");
  if (control("init_error", 0)) return (CUresult)control("init_error", 0);
  if (node && access(node, R_OK | W_OK)) return NO_DEVICE;
  if (!initialized) meet_others();
  initialized = flags == 0;
  return initialized ? OK : INVALID_VALUE;
}
CUresult cuDriverGetVersion(int *version) { *version = 13000; return OK; }
CUresult cuGetErrorName(CUresult code, const char **name) {
  static const struct { int code; const char *name; } names[] = {
      {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {3, "CUDA_ERROR_NOT_INITIALIZED"}, {100, "CUDA_ERROR_NO_DEVICE"},
      {101, "CUDA_ERROR_INVALID_DEVICE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"},
      {400, "CUDA_ERROR_INVALID_HANDLE"}, {600, "CUDA_ERROR_NOT_READY"},
      {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {801, "CUDA_ERROR_NOT_SUPPORTED"}};
  *name = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == code) *name = names[i].name;
  return *name ? OK : INVALID_VALUE;
}
CUresult cuDeviceGetCount(int *count) {
  if (!initialized) return NOT_INITIALIZED;
  *count = (int)control("devices", 1);
  return OK;
}
CUresult cuDeviceGet(int *device, int ordinal) {
  if (!initialized) return NOT_INITIALIZED;
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
    case 20: *value = (int)control("compute_mode", 0); return OK;
    case 38: *value = 1 << 20; return OK;
    case 75: *value = (int)control("capability", 90) / 10; return OK;
    case 76: *value = (int)control("capability", 90) % 10; return OK;
    case 102: *value = (int)control("virtual_memory", 1); return OK;
    case 103: *value = (int)control("posix_descriptors", 1); return OK;
  }
  return INVALID_VALUE;
}
CUresult cuDevicePrimaryCtxRetain(void **context, int device) {
  if (!initialized) return NOT_INITIALIZED;
  *context = (void *)(intptr_t)(device + 1);
  return OK;
}
CUresult cuCtxSetCurrent(void *context) { current = context != NULL; return OK; }
CUresult cuCtxSynchronize(void) {
  NEED_CONTEXT;
  note("synchronize");
  wait_until(own->until);
  return OK;
}
CUresult cuCtxResetPersistingL2Cache(void) {
  NEED_CONTEXT;
  note("reset_l2");
  return (CUresult)control("reset_l2_error", 0);
}

/* The name of memory of this test: a process may hold some of another one. */
static const char *name_of_memory(void) {
  static char name[40];
  unsigned long long hash = 14695981039346656037ULL;
  const char *path = getenv("FAKECUDA_CONTROL");
  for (; path && *path; path++) hash = (hash ^ (unsigned char)*path) * 1099511628211ULL;
  snprintf(name, sizeof name, "fakecuda-%llx", hash);
  return name;
}

/* Memory of this test that any of its processes holds or maps, each block once. */
static struct { unsigned long inode; size_t size; } blocks[8 * MOST];
static int block_count;

static void seen(unsigned long inode, size_t size) {
  for (int i = 0; i < block_count; i++)
    if (blocks[i].inode == inode) return;
  if (block_count < 8 * MOST) {
    blocks[block_count].inode = inode;
    blocks[block_count++].size = size;
  }
}
static void seen_by(int pid) {
  char path[300], line[512];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/maps", pid);
  FILE *maps = fopen(path, "r");
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long first, end, inode;
    if (strstr(line, name_of_memory()) &&
        sscanf(line, "%lx-%lx %*s %*x %*s %lu", &first, &end, &inode) == 3)
      seen(inode, end - first);
  }
  if (maps) fclose(maps);
  snprintf(path, sizeof path, "/proc/%d/fd", pid);
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    snprintf(path, sizeof path, "/proc/%d/fd/%s", pid, entry->d_name);
    ssize_t n = readlink(path, line, sizeof line - 1);
    if (n < 0) continue;
    line[n] = 0;
    if (strstr(line, name_of_memory()) && !stat(path, &status)) seen(status.st_ino, status.st_size);
  }
  if (folder) closedir(folder);
}
CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  NEED_CONTEXT;
  block_count = 0;
  for (int i = 0; i < CLIENTS; i++)
    if (clients[i].pid) seen_by(clients[i].pid);
  size_t used = 0;
  for (int i = 0; i < block_count; i++) used += blocks[i].size;
  *total = (size_t)control("total", 1LL << 30);
  used += control("held", 0);
  *free_bytes = used < *total ? *total - used : 0;
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
  int fd = memfd_create(name_of_memory(), MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, size)) return OUT_OF_MEMORY;
  spend("scrub_us_per_block", size / GRANULARITY);
  note("create %zu", size);
  return keep(handle, fd, size, p->handle_types & POSIX_FD);
}
CUresult cuMemRelease(u64 handle) {
  if (!handle || handle >= MOST || !handles[handle].size) return INVALID_HANDLE;
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
  spend("map_us", 1);
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
CUresult cuEventCreate(void **event, unsigned flags) {
  (void)flags;
  NEED_CONTEXT;
  *event = calloc(1, sizeof(long long));
  return OK;
}
CUresult cuEventRecord(void *event, void *stream) {
  (void)stream;
  NEED_CONTEXT;
  long long now = nanoseconds();
  *(long long *)event = own->until > now ? own->until : now;
  return OK;
}
CUresult cuEventQuery(void *event) {
  if (sticky) return sticky;
  return control("busy", 0) || nanoseconds() < *(long long *)event ? NOT_READY : OK;
}
CUresult cuEventSynchronize(void *event) {
  if (sticky) return sticky;
  wait_until(*(long long *)event);
  return OK;
}
CUresult cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  (void)to; /* Whatever it is, it takes 10 ms, and as long again beside somebody else's work. */
  float beside = (float)(others_until() - *(long long *)from) * 1e-6f;
  *milliseconds = 10 + control("contention_us", 0) * 1e-3f;
  if (beside > 0) *milliseconds += beside < 10 ? beside : 10;
  return OK;
}
CUresult cuEventDestroy_v2(void *event) { free(event); return OK; }
