// Linked into a PyTorch operator's library, whose host code is native: connects it to the simulator in the
// same process (operators.py), and presents the CPU as its device.
//
// The linker's --wrap makes calls of f call __wrap_f; the original function is __real_f.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FOR_PYTHON __attribute__((visibility("default")))

// values of cudaError, and of hotloop_call in runtime.h
enum { INITIALIZATION_ERROR = 3, ALLOCATE = 0, FREE = 1, SYNCHRONIZE = 16, TENSOR = 17 };

// --- the runtime API ---------------------------------------------------------------------------------------

typedef unsigned Call(unsigned op, const void* a, const void* b, size_t c, size_t d, const char* file, unsigned line);
FOR_PYTHON Call* hotloop_simulator;  // set when the library is loaded, cleared before the process ends

unsigned hotloop_host(unsigned op, const void* a, const void* b, size_t c, size_t d, const char* file, unsigned line) {
  return hotloop_simulator ? hotloop_simulator(op, a, b, c, d, file, line) : INITIALIZATION_ERROR;
}

double hotloop_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// The error and the reason of the last failed launch.
FOR_PYTHON unsigned hotloop_failed_with;
FOR_PYTHON char hotloop_reason[4096];

const char* hotloop_explained(unsigned error, const char* text) {
  static _Thread_local char both[sizeof hotloop_reason + 256];
  if (!error || error != hotloop_failed_with) return text;
  snprintf(both, sizeof both, "%s: %s", text, hotloop_reason);
  return both;
}

// --- kernels and variables: the compiler registers them when the library is loaded -----------------------------

// bytes: the size of a variable; 0 for a kernel.
typedef struct { const void* host; const char* name; size_t bytes; } Registered;
FOR_PYTHON Registered* hotloop_registered;
FOR_PYTHON size_t hotloop_count;

static void add(const void* host, const char* name, size_t bytes) {
  Registered* grown = realloc(hotloop_registered, (hotloop_count + 1) * sizeof *grown);
  if (!grown) abort();
  hotloop_registered = grown;
  grown[hotloop_count++] = (Registered){host, name, bytes};
}

void** __cudaRegisterFatBinary(void* binary) { (void)binary; return NULL; }
void __cudaUnregisterFatBinary(void** handle) { (void)handle; }
int __cudaRegisterFunction(void** handle, const void* stub, char* name) {
  (void)handle;
  add(stub, name, 0);
  return 0;
}
void __cudaRegisterVar(void** handle, char* shadow, char* address, const char* name, int external, size_t bytes) {
  (void)handle, (void)address, (void)external;
  add(shadow, name, bytes);
}

// --- PyTorch: torch/csrc/inductor/aoti_torch/c/shim.h and torch/csrc/stable/c/shim.h ----------------------------

typedef int32_t Status;  // 0: no error
extern Status __real_aoti_torch_get_data_ptr(void* tensor, void** data);
extern Status __real_torch_get_mutable_data_ptr(void* tensor, void** data);
extern Status __real_torch_get_const_data_ptr(void* tensor, const void** data);
extern Status __real_aoti_torch_library_init_impl(const char* name, const char* key, const char* file, uint32_t line, void** library);
extern Status aoti_torch_get_storage_size(void* tensor, int64_t* bytes);
extern Status aoti_torch_get_storage_offset(void* tensor, int64_t* elements);
extern Status aoti_torch_get_dtype(void* tensor, int32_t* dtype);
extern size_t aoti_torch_dtype_element_size(int32_t dtype);

// Report the tensor's whole storage to the simulator, which a kernel may use through this pointer.
static Status told(void* tensor, const void* data, Status status) {
  int64_t bytes, offset;
  int32_t dtype;
  if (status || !data) return status;
  if ((status = aoti_torch_get_storage_size(tensor, &bytes))) return status;
  if ((status = aoti_torch_get_storage_offset(tensor, &offset))) return status;
  if ((status = aoti_torch_get_dtype(tensor, &dtype))) return status;
  const char* storage = (const char*)data - (size_t)offset * aoti_torch_dtype_element_size(dtype);
  hotloop_host(TENSOR, storage, NULL, (size_t)bytes, 0, NULL, 0);
  return 0;
}
Status __wrap_aoti_torch_get_data_ptr(void* tensor, void** data) {
  const Status status = __real_aoti_torch_get_data_ptr(tensor, data);
  return told(tensor, *data, status);
}
Status __wrap_torch_get_mutable_data_ptr(void* tensor, void** data) {
  const Status status = __real_torch_get_mutable_data_ptr(tensor, data);
  return told(tensor, *data, status);
}
Status __wrap_torch_get_const_data_ptr(void* tensor, const void** data) {
  const Status status = __real_torch_get_const_data_ptr(tensor, data);
  return told(tensor, *data, status);
}

Status __wrap_aoti_torch_library_init_impl(const char* name, const char* key, const char* file, uint32_t line, void** library) {
  return __real_aoti_torch_library_init_impl(name, strcmp(key, "CUDA") ? key : "CPU", file, line, library);
}

// PyTorch's number of the CPU is used for CUDA here. The CPU gets another number, of which PyTorch keeps
// the low 8 bits, so that tensors of both are on the CPU.
int32_t aoti_torch_device_type_cuda(void) { return 0; }
int32_t aoti_torch_device_type_cpu(void) { return 256; }

// Each function that PyTorch has only where it was built for CUDA. There is one device and one stream.
Status aoti_torch_get_current_cuda_stream(int32_t device, void** stream) { (void)device; *stream = NULL; return 0; }
Status aoti_torch_get_current_stream(int32_t device, void** stream) { (void)device; *stream = NULL; return 0; }
Status aoti_torch_delete_stream(void* stream) { (void)stream; return 0; }
Status torch_stream_native_handle(void* stream, void** handle) { *handle = stream; return 0; }
Status aoti_torch_get_current_device_index(int32_t* device) { *device = 0; return 0; }
Status aoti_torch_create_device_guard(int32_t device, void** guard) { (void)device; *guard = NULL; return 0; }
Status aoti_torch_device_guard_set_index(void* guard, int32_t device) { (void)guard, (void)device; return 0; }
Status aoti_torch_delete_device_guard(void* guard) { (void)guard; return 0; }
Status aoti_torch_create_cuda_guard(int32_t device, void** guard) { (void)device; *guard = NULL; return 0; }
Status aoti_torch_cuda_guard_set_index(void* guard, int32_t device) { (void)guard, (void)device; return 0; }
Status aoti_torch_delete_cuda_guard(void* guard) { (void)guard; return 0; }
Status aoti_torch_create_cuda_stream_guard(void* stream, int32_t device, void** guard) { (void)stream, (void)device; *guard = NULL; return 0; }
Status aoti_torch_delete_cuda_stream_guard(void* guard) { (void)guard; return 0; }
Status torch_set_current_cuda_stream(void* stream, int32_t device) { (void)stream, (void)device; return 0; }
Status torch_get_cuda_stream_from_pool(_Bool high_priority, int32_t device, void** stream) { (void)high_priority, (void)device; *stream = NULL; return 0; }
Status torch_cuda_stream_synchronize(void* stream, int32_t device) { (void)stream, (void)device; return hotloop_host(SYNCHRONIZE, NULL, NULL, 0, 0, NULL, 0) != 0; }
Status torch_get_current_cuda_blas_handle(void** handle) { (void)handle; return 1; }  // cuBLAS is not simulated in operators
Status aoti_torch_cuda_caching_allocator_raw_alloc(uint64_t bytes, void** pointer) { return hotloop_host(ALLOCATE, pointer, "PyTorch's allocator", bytes, 0, NULL, 0) != 0; }
Status aoti_torch_cuda_caching_allocator_raw_delete(void* pointer) { return hotloop_host(FREE, pointer, "PyTorch's allocator", 0, 0, NULL, 0) != 0; }

// What STD_CUDA_CHECK asks: the text of an error, or none.
extern const char* hotloop_error_text(unsigned error);
Status torch_c10_cuda_check_msg(int32_t error, const char* file, const char* function, uint32_t line, _Bool assertions, char** message) {
  (void)file, (void)function, (void)line, (void)assertions;
  *message = NULL;
  if (!error) return 0;
  const char* text = hotloop_error_text((unsigned)error);
  const size_t size = strlen(text) + sizeof "CUDA error: ";
  if (!(*message = malloc(size))) abort();
  snprintf(*message, size, "CUDA error: %s", text);
  return 0;
}
void torch_c10_cuda_free_error_msg(char* message) { free(message); }
