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
    // ### TASK sparse_attention_op.plugin capabilities
    return nullptr;
  }

  // A new plugin that is as far as this one.
  IPluginV3* clone() noexcept override {
    // ### TASK sparse_attention_op.plugin clone
    return nullptr;
  }

  // --- questions of the builder -------------------------------------------------------------------

  int32_t getNbOutputs() const noexcept override { return 1; }

  int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                             int32_t nbInputs) const noexcept override {
    // ### TASK sparse_attention_op.plugin types
    return -1;
  }

  // Sizes are expressions here: none of them is known yet.
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                          int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                          IExprBuilder& exprBuilder) noexcept override {
    // ### TASK sparse_attention_op.plugin shapes
    return -1;
  }

  // Of `pos`, judged by what stands at 0 to pos; what is behind has no valid value yet.
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut,
                                 int32_t nbInputs, int32_t nbOutputs) noexcept override {
    // ### TASK sparse_attention_op.plugin formats
    return false;
  }

  // Enough for every shape that the profile allows.
  size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
                          DynamicPluginTensorDesc const* outputs,
                          int32_t nbOutputs) const noexcept override {
    // ### TASK sparse_attention_op.plugin workspace
    return 0;
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
    // ### TASK sparse_attention_op.plugin enqueue
    return -1;
  }

  // A plugin of its own for each context.
  IPluginV3* attachToContext(IPluginResourceContext* context) noexcept override {
    // ### TASK sparse_attention_op.plugin attach
    return nullptr;
  }

  // What an engine has to store of it. The memory stays this plugin's.
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    // ### TASK sparse_attention_op.plugin serialize
    return nullptr;
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
    // ### TASK sparse_attention_op.plugin fields
    // the attributes of a node that the parser shall hand over, in which types
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
  }

  AsciiChar const* getPluginName() const noexcept override { return kNAME; }
  AsciiChar const* getPluginVersion() const noexcept override { return kVERSION; }
  AsciiChar const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
  PluginFieldCollection const* getFieldNames() noexcept override { return &collection_; }

  // kBUILD: the fields are a node's attributes. kRUNTIME: what the plugin once serialized.
  IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fc,
                          TensorRTPhase phase) noexcept override {
    // ### TASK sparse_attention_op.plugin create
    return nullptr;
  }

 private:
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

}  // namespace

REGISTER_TENSORRT_PLUGIN(SparseAttentionCreator);
