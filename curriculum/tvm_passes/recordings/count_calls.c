/* Calls functions that TVM compiled, to be counted by callgrind:

       count_calls SHAPE... LIBRARY...

   A shape is 4x48x32; tensors are float32; a library's name begins with a slash. Each function is
   called twice, and the second call is counted: callgrind writes a file of counts for each library,
   numbered from 1. Parallel loops run as one task, without threads, so that no thread is counted
   while it waits. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>
#include <valgrind/callgrind.h>

enum { MOST_TENSORS = 8, MOST_AXES = 8 };

typedef struct {
  void* sync_handle;
  int32_t num_task;
} ParallelGroup;

typedef int (*Function)(void*, const TVMFFIAny*, int32_t, TVMFFIAny*);
typedef int (*Task)(int number, ParallelGroup* group, void* data);

static int launch(Task task, void* data, int tasks) {
  ParallelGroup group = {0, 1};
  (void)tasks;
  return task(0, &group, data);
}

static void* allocate(int device, int id, uint64_t bytes, int code, int bits) {
  void* memory;
  (void)device, (void)id, (void)code, (void)bits;
  return posix_memalign(&memory, 64, bytes) ? 0 : memory;
}

static int release(int device, int id, void* memory) {
  (void)device, (void)id;
  free(memory);
  return 0;
}

static void replace(void* library, const char* name, void* function) {
  void** slot = dlsym(library, name);
  if (slot) *slot = function;
}

static void tensor_of(char* text, DLTensor* tensor, int64_t shape[MOST_AXES]) {
  static int64_t strides[MOST_TENSORS][MOST_AXES];
  static int number;
  int axes = 0;
  int64_t size = 1, *own = strides[number++];
  for (char* part = strtok(text, "x"); part; part = strtok(0, "x")) {
    size *= shape[axes++] = atoll(part);
  }
  for (int axis = axes - 1, step = 1; axis >= 0; step *= shape[axis--]) own[axis] = step;
  float* data = aligned_alloc(64, (size * 4 + 63) / 64 * 64);
  for (int64_t k = 0; k < size; k++) data[k] = 1.0f / (1 + k % 7);
  *tensor = (DLTensor){data, {kDLCPU, 0}, axes, {kDLFloat, 32, 1}, shape, own, 0};
}

static Function load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  Function function = library ? (Function)dlsym(library, "__tvm_ffi_main") : 0;
  if (!function) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  replace(library, "__TVMBackendParallelLaunch", launch);
  replace(library, "__TVMBackendAllocWorkspace", allocate);
  replace(library, "__TVMBackendFreeWorkspace", release);
  return function;
}

int main(int count, char** words) {
  static DLTensor tensors[MOST_TENSORS];
  static int64_t shapes[MOST_TENSORS][MOST_AXES];
  static TVMFFIAny arguments[MOST_TENSORS];
  int n = 0;
  for (; n + 1 < count && words[n + 1][0] != '/'; n++) {
    tensor_of(words[n + 1], &tensors[n], shapes[n]);
    arguments[n].type_index = kTVMFFIDLTensorPtr;
    arguments[n].v_ptr = &tensors[n];
  }
  for (int k = n + 1; k < count; k++) {
    Function function = load(words[k]);
    TVMFFIAny result = {0};
    if (function(0, arguments, n, &result)) return 2;
    CALLGRIND_ZERO_STATS;
    if (function(0, arguments, n, &result)) return 2;
    CALLGRIND_DUMP_STATS_AT(words[k]);
  }
  return 0;
}
