/* Calls one function that TVM compiled, to be counted by cachegrind:

       count_call LIBRARY CALLS SHAPE...

   A shape is 96x160; tensors are float32. Parallel loops run as one task, without threads, so that
   the counts are the same in every run. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

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

int main(int count, char** words) {
  static DLTensor tensors[MOST_TENSORS];
  static int64_t shapes[MOST_TENSORS][MOST_AXES];
  static TVMFFIAny arguments[MOST_TENSORS];
  void* library = dlopen(words[1], RTLD_NOW);
  Function function = library ? (Function)dlsym(library, "__tvm_ffi_main") : 0;
  if (!function) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  replace(library, "__TVMBackendParallelLaunch", launch);
  replace(library, "__TVMBackendAllocWorkspace", allocate);
  replace(library, "__TVMBackendFreeWorkspace", release);
  for (int k = 0; k < count - 3; k++) {
    tensor_of(words[3 + k], &tensors[k], shapes[k]);
    arguments[k].type_index = kTVMFFIDLTensorPtr;
    arguments[k].v_ptr = &tensors[k];
  }
  for (int call = 0; call < atoi(words[2]); call++) {
    TVMFFIAny result = {0};
    if (function(0, arguments, count - 3, &result)) return 2;
  }
  return 0;
}
