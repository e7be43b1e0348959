// SparseAttention for TensorRT 10: one object for the three capabilities.
#include <NvInferRuntime.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
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
    if (type == PluginCapabilityType::kBUILD) return static_cast<IPluginV3OneBuild*>(this);
    if (type == PluginCapabilityType::kRUNTIME) return static_cast<IPluginV3OneRuntime*>(this);
    return type == PluginCapabilityType::kCORE ? static_cast<IPluginV3OneCore*>(this) : nullptr;
  }

  // A new plugin that is as far as this one.
  IPluginV3* clone() noexcept override {
    try {
      return std::make_unique<SparseAttentionPlugin>(block_, causal_).release();
    } catch (...) {
      return nullptr;
    }
  }

  // --- what else may be asked ---------------------------------------------------------------------

  int32_t getValidTactics(int32_t*, int32_t) noexcept override { return 0; }
  int32_t getNbTactics() noexcept override { return 0; }
  char const* getTimingCacheID() noexcept override { return causal_ ? "causal" : "whole"; }
  int32_t getFormatCombinationLimit() noexcept override { return 2; }
  char const* getMetadataString() noexcept override { return "hotloop.lab::SparseAttention"; }

  int32_t setTactic(int32_t tactic) noexcept override { return tactic == 0 ? 0 : -1; }

  // --- questions of the builder -------------------------------------------------------------------

  int32_t getNbOutputs() const noexcept override { return 1; }

  int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                             int32_t nbInputs) const noexcept override {
    for (int32_t i = 0; i < nbOutputs; ++i) outputTypes[i] = inputTypes[0];
    return nbInputs == kINPUTS ? 0 : 1;
  }

  // Sizes are expressions here: none of them is known yet.
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t nbInputs, DimsExprs const* shapeInputs,
                          int32_t nbShapeInputs, DimsExprs* outputs, int32_t nbOutputs,
                          IExprBuilder& exprBuilder) noexcept override {
    outputs->nbDims = inputs->nbDims;
    for (int32_t axis = 0; axis < inputs->nbDims; ++axis) outputs->d[axis] = inputs->d[axis];
    return outputs->nbDims == 4 ? 0 : -1;
  }

  // Of `pos`, judged by what stands at 0 to pos; what is behind has no valid value yet.
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut,
                                 int32_t nbInputs, int32_t nbOutputs) noexcept override {
    bool const linear = inOut[pos].desc.format == PluginFormat::kLINEAR;
    DataType const type = inOut[pos].desc.type, first = inOut[0].desc.type;
    switch (pos) {
      case 0:
        return linear && (type == DataType::kHALF || type == DataType::kFLOAT);
      case kTHRESHOLD:
        return linear && type == DataType::kFLOAT;
      default:
        return linear && type == first;
    }
  }

  // Enough for every shape that the profile allows.
  size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t nbInputs,
                          DynamicPluginTensorDesc const* outputs,
                          int32_t nbOutputs) const noexcept override {
    int64_t batch = 0, length = 0;
    for (int32_t i = 0; i < 3; ++i) {
      batch = std::max(batch, inputs[i].max.d[0]);
      length = std::max(length, inputs[i].max.d[2]);
    }
    size_t const bytes = attention_workspace(batch, inputs[3].max.d[0], length, block_);
    return (bytes + 255) / 256 * 256;
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
    auto const& size = outputDesc->dims.d;
    AttentionCall const call{inputs[0],
                             inputs[1],
                             inputs[2],
                             reinterpret_cast<float const*>(inputs[3]),
                             *outputs,
                             workspace,
                             size[0],
                             size[1],
                             size[2],
                             size[3],
                             block_,
                             causal_,
                             outputDesc->type != DataType::kFLOAT};
    return launch_attention(call, stream);
  }

  // A plugin of its own for each context.
  IPluginV3* attachToContext(IPluginResourceContext* context) noexcept override {
    static_cast<void>(context);  // no allocator is needed: the workspace is the runtime's
    return new (std::nothrow) SparseAttentionPlugin(block_, causal_);
  }

  // What an engine has to store of it. The memory stays this plugin's.
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    stored_ = {static_cast<int32_t>(causal_), static_cast<int32_t>(block_)};
    fields_.clear();
    fields_.emplace_back("causal", &stored_[0], PluginFieldType::kINT32, 1);
    fields_.emplace_back("block", &stored_[1], PluginFieldType::kINT32, 1);
    collection_.nbFields = static_cast<int32_t>(fields_.size());
    collection_.fields = fields_.data();
    return &collection_;
  }

 private:
  int64_t block_;
  bool causal_;
  std::array<int32_t, 2> stored_{};
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

class SparseAttentionCreator final : public IPluginCreatorV3One {
 public:
  SparseAttentionCreator() {
    for (char const* name : {"causal", "block"})
      fields_.emplace_back(name, nullptr, PluginFieldType::kINT32, 1);
    collection_ = {static_cast<int32_t>(fields_.size()), fields_.data()};
  }

  AsciiChar const* getPluginName() const noexcept override { return kNAME; }
  AsciiChar const* getPluginVersion() const noexcept override { return kVERSION; }
  AsciiChar const* getPluginNamespace() const noexcept override { return kNAMESPACE; }
  PluginFieldCollection const* getFieldNames() noexcept override { return &collection_; }

  // kBUILD: the fields are a node's attributes. kRUNTIME: what the plugin once serialized.
  IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fc,
                          TensorRTPhase phase) noexcept override {
    static_cast<void>(phase);  // both times the same fields, in the same type
    auto find = [fc](char const* wanted) -> int32_t {
      for (PluginField const* field = fc->fields; field != fc->fields + fc->nbFields; ++field)
        if (std::string(field->name) == wanted && field->type == PluginFieldType::kINT32)
          return *static_cast<int32_t const*>(field->data);
      return -1;
    };
    int32_t const block = find("block"), causal = find("causal");
    if (block <= 0 || causal < 0) return nullptr;
    return new SparseAttentionPlugin{block, causal != 0};
  }

 private:
  std::vector<PluginField> fields_;
  PluginFieldCollection collection_{};
};

}  // namespace

REGISTER_TENSORRT_PLUGIN(SparseAttentionCreator);
