// The operator as a library that ONNX Runtime loads, in C++: task 12.
//
// A session that was given the library calls RegisterCustomOps. From then on it knows a domain with
// one operator, makes one kernel for each node of it, and calls that kernel for each run.

#include <stdexcept>

#include "host_attention.h"
#include "ort_custom_op.h"

namespace {

constexpr char const* kDOMAIN = "hotloop.lab";
constexpr char const* kNAME = "SparseAttention";
constexpr size_t kINPUTS = 4;  // q, k, v, threshold

OrtApi const* api = nullptr;

// What one node says. The runtime makes one of these for each node, and hands it back in each run.
// ### TASK sparse_attention_op.native_op node
struct Node {};

// Every function of the runtime's returns nullptr when all is well.
void require(OrtStatus* status, char const* what) {
  if (status == nullptr) return;
  api->ReleaseStatus(status);
  throw std::runtime_error(what);
}

// The sizes of a tensor, of which there must be `rank`.
void shape_of(OrtValue const* value, int64_t* sizes, size_t rank) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  require(api->GetTensorTypeAndShape(value, &info), "no type and shape");
  size_t found = 0;
  require(api->GetDimensionsCount(info, &found), "no rank");
  if (found == rank) require(api->GetDimensions(info, sizes, rank), "no sizes");
  api->ReleaseTensorTypeAndShapeInfo(info);
  if (found != rank) throw std::runtime_error("a tensor has another rank than the paper's");
}

float* data_of(OrtValue const* value) {
  void* data = nullptr;
  require(api->GetTensorMutableData(const_cast<OrtValue*>(value), &data), "no data");
  return static_cast<float*>(data);
}

// For one node, before the first run.
void* create(OrtCustomOp const*, OrtApi const* ort, OrtKernelInfo const* info) {
  // ### TASK sparse_attention_op.native_op create
  return new Node();
}

// For one node, in one run. Shapes are this run's.
void compute(void* kernel, OrtKernelContext* context) {
  // ### TASK sparse_attention_op.native_op compute
  throw std::runtime_error("sparse_attention_op.native_op");
}

void destroy(void* kernel) { delete static_cast<Node*>(kernel); }

// The operator's description, a table of functions. It has to outlive every session.
OrtCustomOp describe() {
  OrtCustomOp op{};
  op.version = kOrtVersion;
  op.CreateKernel = create;
  op.KernelCompute = compute;
  op.KernelDestroy = destroy;
  op.GetExecutionProviderType = [](OrtCustomOp const*) -> char const* { return nullptr; };
  op.GetInputCharacteristic = [](OrtCustomOp const*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetOutputCharacteristic = [](OrtCustomOp const*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  // ### TASK sparse_attention_op.native_op describe
  // GetName, GetInputTypeCount, GetInputType, GetOutputTypeCount, GetOutputType
  return op;
}

}  // namespace

// The one name that ONNX Runtime looks for in a library. nullptr: all is well.
extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* options, OrtApiBase const* base) {
  api = base->GetApi(kOrtVersion);
  // ### TASK sparse_attention_op.native_op register
  return api->CreateStatus(ORT_FAIL, "sparse_attention_op.native_op");
}
