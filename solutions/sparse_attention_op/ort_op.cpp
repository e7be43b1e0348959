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
// ### BEGIN SOLUTION sparse_attention_op.native_op node
// ### STUB struct Node {};
struct Node {
  int64_t block = 0;
  int64_t causal = 0;
};
// ### END SOLUTION

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
  // ### BEGIN SOLUTION sparse_attention_op.native_op create
  // ### STUB return new Node();
  Node* node = new Node();
  require(ort->KernelInfoGetAttribute_int64(info, "block", &node->block), "no attribute block");
  require(ort->KernelInfoGetAttribute_int64(info, "causal", &node->causal), "no attribute causal");
  return node;
  // ### END SOLUTION
}

// For one node, in one run. Shapes are this run's.
void compute(void* kernel, OrtKernelContext* context) {
  // ### BEGIN SOLUTION sparse_attention_op.native_op compute
  // ### STUB throw std::runtime_error("sparse_attention_op.native_op");
  Node const& node = *static_cast<Node const*>(kernel);
  OrtValue const* in[kINPUTS];
  for (size_t i = 0; i < kINPUTS; ++i)
    require(api->KernelContext_GetInput(context, i, &in[i]), "no input");
  int64_t sizes[4];
  shape_of(in[0], sizes, 4);
  OrtValue* out = nullptr;
  require(api->KernelContext_GetOutput(context, 0, sizes, 4, &out), "no output");
  host_attention(data_of(in[0]), data_of(in[1]), data_of(in[2]), data_of(in[3]), data_of(out),
                 sizes[0], sizes[1], sizes[2], sizes[3], node.block, node.causal != 0);
  // ### END SOLUTION
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
  // ### BEGIN SOLUTION sparse_attention_op.native_op describe
  // ### STUB // GetName, GetInputTypeCount, GetInputType, GetOutputTypeCount, GetOutputType
  op.GetName = [](OrtCustomOp const*) { return kNAME; };
  op.GetInputTypeCount = [](OrtCustomOp const*) { return kINPUTS; };
  op.GetInputType = [](OrtCustomOp const*, size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
  op.GetOutputTypeCount = [](OrtCustomOp const*) -> size_t { return 1; };
  op.GetOutputType = [](OrtCustomOp const*, size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
  // ### END SOLUTION
  return op;
}

}  // namespace

// The one name that ONNX Runtime looks for in a library. nullptr: all is well.
extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* options, OrtApiBase const* base) {
  api = base->GetApi(kOrtVersion);
  // ### BEGIN SOLUTION sparse_attention_op.native_op register
  // ### STUB return api->CreateStatus(ORT_FAIL, "sparse_attention_op.native_op");
  static OrtCustomOp const op = describe();
  OrtCustomOpDomain* domain = nullptr;
  if (OrtStatus* failed = api->CreateCustomOpDomain(kDOMAIN, &domain)) return failed;
  if (OrtStatus* failed = api->CustomOpDomain_Add(domain, &op)) return failed;
  // It is not released: sessions that come later go on using it.
  return api->AddCustomOpDomain(options, domain);
  // ### END SOLUTION
}
