// The operator as a plugin of TensorRT, IPluginV3: task 13.
//
// TensorRT's parser finds a plugin for a node of an ONNX file by the node's name. Everything that
// TensorRT then wants to know about it, it asks the plugin: what comes out, in which types, how much
// memory it takes, what has to be stored. Built with the headers of TensorRT where they are, and with
// the stub in tensorrt_stub/ where they are not.

#include <NvInferRuntime.h>

#include <string>
#include <vector>

#include "launch_attention.h"

using namespace nvinfer1;

namespace {

constexpr char const* kNAME = "SparseAttention";
constexpr char const* kVERSION = "1";
constexpr char const* kNAMESPACE = "";
constexpr int32_t kTHRESHOLD = 3;  // q, k, v, threshold; then the output
constexpr int32_t kINPUTS = 4;

class SparseAttentionPlugin final : public IPluginV3,
                                    public IPluginV3OneCore,
                                    public IPluginV3OneBuild,
                                    public IPluginV3OneRuntime {
 public:
  SparseAttentionPlugin(int64_t block, bool causal) : block_(block), causal_(causal) {}

  AsciiChar const* getPluginName() const noexcept override { return kNAME; }
  AsciiChar const* getPluginVersion() const noexcept override { return kVERSION; }
  AsciiChar const* getPluginNamespace() const noexcept override { return kNAMESPACE; }

  // --- what it is ---------------------------------------------------------------------------------

  // The object that answers for one kind of question; it is this one for all of them.
  IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin capabilities
    // ### STUB return nullptr;
    switch (type) {
      case PluginCapabilityType::kCORE:
        return static_cast<IPluginV3OneCore*>(this);
      case PluginCapabilityType::kBUILD:
        return static_cast<IPluginV3OneBuild*>(this);
      case PluginCapabilityType::kRUNTIME:
        return static_cast<IPluginV3OneRuntime*>(this);
    }
    return nullptr;
    // ### END SOLUTION
  }

  // A new plugin that is as far as this one.
  IPluginV3* clone() noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin clone
    // ### STUB return nullptr;
    return new SparseAttentionPlugin(block_, causal_);
    // ### END SOLUTION
  }

  // --- questions of the builder -------------------------------------------------------------------

  int32_t getNbOutputs() const noexcept override { return 1; }

  int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                             int32_t nbInputs) const noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin types
    // ### STUB return -1;
    if (nbOutputs != 1 || nbInputs != kINPUTS) return -1;
    outputTypes[0] = inputTypes[0];
    return 0;
    // ### END SOLUTION
  }

  // Sizes are expressions here: none of them is known yet.
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                          int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                          IExprBuilder& exprBuilder) noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin shapes
    // ### STUB return -1;
    if (nbInputs != kINPUTS || nbOutputs != 1) return -1;
    outputs[0] = inputs[0];
    return 0;
    // ### END SOLUTION
  }

  // Of `pos`, judged by what stands at 0 to pos; what is behind has no valid value yet.
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut,
                                 int32_t nbInputs, int32_t nbOutputs) noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin formats
    // ### STUB return false;
    PluginTensorDesc const& asked = inOut[pos].desc;
    if (asked.format != TensorFormat::kLINEAR) return false;
    if (pos == kTHRESHOLD) return asked.type == DataType::kFLOAT;
    if (pos > 0) return asked.type == inOut[0].desc.type;
    return asked.type == DataType::kFLOAT || asked.type == DataType::kHALF;
    // ### END SOLUTION
  }

  // Enough for every shape that the profile allows.
  size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
                          DynamicPluginTensorDesc const* outputs,
                          int32_t nbOutputs) const noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin workspace
    // ### STUB return 0;
    Dims const& most = inputs[0].max;
    return attention_workspace(most.d[0], most.d[1], most.d[2], block_);
    // ### END SOLUTION
  }

  int32_t configurePlugin(DynamicPluginTensorDesc const* in, int32_t nbInputs,
                          DynamicPluginTensorDesc const* out, int32_t nbOutputs) noexcept override {
    return 0;
  }

  // --- questions of the runtime -------------------------------------------------------------------

  int32_t onShapeChange(PluginTensorDesc const* in, int32_t nbInputs, PluginTensorDesc const* out,
                        int32_t nbOutputs) noexcept override {
    return 0;
  }

  // Put the work into the stream, and wait for nothing. launch_attention.h has what to call.
  int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const* outputDesc,
                  void const* const* inputs, void* const* outputs, void* workspace,
                  cudaStream_t stream) noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin enqueue
    // ### STUB return -1;
    Dims const& dims = inputDesc[0].dims;
    AttentionCall call{};
    call.q = inputs[0];
    call.k = inputs[1];
    call.v = inputs[2];
    call.threshold = static_cast<float const*>(inputs[kTHRESHOLD]);
    call.out = outputs[0];
    call.workspace = workspace;
    call.batch = dims.d[0];
    call.heads = dims.d[1];
    call.length = dims.d[2];
    call.depth = dims.d[3];
    call.block = block_;
    call.causal = causal_;
    call.half = inputDesc[0].type == DataType::kHALF;
    return launch_attention(call, stream);
    // ### END SOLUTION
  }

  // A plugin of its own for each context.
  IPluginV3* attachToContext(IPluginResourceContext* context) noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin attach
    // ### STUB return nullptr;
    return clone();
    // ### END SOLUTION
  }

  // What an engine has to store of it. The memory stays this plugin's.
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin serialize
    // ### STUB return nullptr;
    causal_field_ = causal_ ? 1 : 0;
    fields_ = {PluginField("block", &block_, PluginFieldType::kINT64, 1),
               PluginField("causal", &causal_field_, PluginFieldType::kINT64, 1)};
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
    return &collection_;
    // ### END SOLUTION
  }

 private:
  int64_t block_;
  bool causal_;
  int64_t causal_field_ = 0;
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

class SparseAttentionCreator final : public IPluginCreatorV3One {
 public:
  SparseAttentionCreator() {
    // ### BEGIN SOLUTION sparse_attention_op.plugin fields
    // ### STUB // the attributes of a node that the parser shall hand over, in which types
    fields_ = {PluginField("block", nullptr, PluginFieldType::kINT64, 1),
               PluginField("causal", nullptr, PluginFieldType::kINT64, 1)};
    // ### END SOLUTION
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
  }

  AsciiChar const* getPluginName() const noexcept override { return kNAME; }
  AsciiChar const* getPluginVersion() const noexcept override { return kVERSION; }
  AsciiChar const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
  PluginFieldCollection const* getFieldNames() noexcept override { return &collection_; }

  // kBUILD: the fields are a node's attributes. kRUNTIME: what the plugin once serialized.
  IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fc,
                          TensorRTPhase phase) noexcept override {
    // ### BEGIN SOLUTION sparse_attention_op.plugin create
    // ### STUB return nullptr;
    int64_t block = 0, causal = 0;
    for (int32_t i = 0; i < fc->nbFields; ++i) {
      PluginField const& field = fc->fields[i];
      if (field.type != PluginFieldType::kINT64 || field.length != 1) return nullptr;
      int64_t const value = *static_cast<int64_t const*>(field.data);
      if (std::string("block") == field.name) block = value;
      if (std::string("causal") == field.name) causal = value;
    }
    if (block < 1) return nullptr;
    return new SparseAttentionPlugin(block, causal != 0);
    // ### END SOLUTION
  }

 private:
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

}  // namespace

REGISTER_TENSORRT_PLUGIN(SparseAttentionCreator);
