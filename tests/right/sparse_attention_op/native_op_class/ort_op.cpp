// The operator as a library that ONNX Runtime loads, in C++: task 12.
//
// A session that was given the library calls RegisterCustomOps. From then on it knows a domain with
// one operator, makes one kernel for each node of it, and calls that kernel for each run.

#include <array>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "host_attention.h"
#include "ort_custom_op.h"

namespace {

constexpr char const* kDOMAIN = "hotloop.lab";
constexpr char const* kNAME = "SparseAttention";
constexpr size_t kINPUTS = 4;  // q, k, v, threshold

OrtApi const* api = nullptr;

// What one node says. The runtime makes one of these for each node, and hands it back in each run.
class Node {
 public:
  Node(int64_t block, bool causal) : block_(block), causal_(causal) {}

  void run(std::array<float const*, 4> const& in, float* out,
           std::vector<int64_t> const& sizes) const {
    if (sizes[0] * sizes[2] == 0) return;
    host_attention(in[0], in[1], in[2], in[3], out, sizes[0], sizes[1], sizes[2], sizes[3], block_,
                   causal_);
  }

 private:
  int64_t const block_;
  bool const causal_;
};

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
  auto number = [&](char const* name) {
    int64_t value = -1;
    if (OrtStatus* failed = ort->KernelInfoGetAttribute_int64(info, name, &value)) {
      ort->ReleaseStatus(failed);
      throw std::runtime_error(std::string("the node has no attribute ") + name);
    }
    return value;
  };
  return std::make_unique<Node>(number("block"), number("causal") == 1).release();
}

// For one node, in one run. Shapes are this run's.
void compute(void* kernel, OrtKernelContext* context) {
  struct Release {
    void operator()(OrtTensorTypeAndShapeInfo* info) const {
      api->ReleaseTensorTypeAndShapeInfo(info);
    }
  };
  size_t count = 0;
  require(api->KernelContext_GetInputCount(context, &count), "no number of inputs");
  if (count != kINPUTS) throw std::runtime_error("there should be q, k, v and threshold");
  std::vector<int64_t> sizes;
  std::array<float const*, kINPUTS> inputs{};
  for (size_t i = 0; i < count; ++i) {
    OrtValue const* value = nullptr;
    require(api->KernelContext_GetInput(context, i, &value), "no input");
    inputs[i] = data_of(value);
    OrtTensorTypeAndShapeInfo* raw = nullptr;
    require(api->GetTensorTypeAndShape(value, &raw), "no type and shape");
    std::unique_ptr<OrtTensorTypeAndShapeInfo, Release> const info(raw);
    size_t rank = 0;
    require(api->GetDimensionsCount(info.get(), &rank), "no rank");
    std::vector<int64_t> found(rank);
    require(api->GetDimensions(info.get(), found.data(), rank), "no sizes");
    if (i == 0) sizes = found;
    if (i < 3 ? found != sizes || rank != 4 : rank != 1 || found[0] != sizes[1])
      throw std::runtime_error("these shapes are not the paper's");
  }
  OrtValue* result = nullptr;
  require(api->KernelContext_GetOutput(context, 0, sizes.data(), sizes.size(), &result), "no out");
  static_cast<Node*>(kernel)->run(inputs, data_of(result), sizes);
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
  struct Table {
    static char const* name(OrtCustomOp const*) { return kNAME; }
    static size_t inputs(OrtCustomOp const*) { return kINPUTS; }
    static size_t outputs(OrtCustomOp const*) { return 1; }
    static ONNXTensorElementDataType type(OrtCustomOp const*, size_t) {
      return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
    }
  };
  op.GetName = &Table::name;
  op.GetInputTypeCount = &Table::inputs;
  op.GetOutputTypeCount = &Table::outputs;
  op.GetInputType = op.GetOutputType = &Table::type;
  return op;
}

}  // namespace

// The one name that ONNX Runtime looks for in a library. nullptr: all is well.
extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* options, OrtApiBase const* base) {
  api = base->GetApi(kOrtVersion);
  struct Domain {
    OrtCustomOpDomain* domain = nullptr;
    OrtCustomOp op = describe();
    ~Domain() {
      if (domain != nullptr) api->ReleaseCustomOpDomain(domain);
    }
  };
  static std::mutex guard;
  std::lock_guard<std::mutex> const lock(guard);
  static std::vector<std::unique_ptr<Domain>> domains;  // one for each call, until the program ends
  domains.push_back(std::make_unique<Domain>());
  Domain& made = *domains.back();
  OrtStatus* status = api->CreateCustomOpDomain(kDOMAIN, &made.domain);
  if (status == nullptr) status = api->CustomOpDomain_Add(made.domain, &made.op);
  if (status == nullptr) status = api->AddCustomOpDomain(options, made.domain);
  return status;
}
