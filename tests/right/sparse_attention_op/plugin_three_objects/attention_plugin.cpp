// SparseAttention for TensorRT 10. A plugin holds three objects, one for each kind of question; they
// share an immutable description of the node. An engine stores that as text.

#include <NvInferRuntime.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "launch_attention.h"

namespace lab {

using namespace nvinfer1;

struct Kind {
  int64_t block;
  bool causal;

  std::string text() const {
    return "block=" + std::to_string(block) + ";causal=" + (causal ? "1" : "0");
  }
  static std::optional<Kind> parse(std::string const& text) {
    long long block = 0;
    int causal = 0;
    if (std::sscanf(text.c_str(), "block=%lld;causal=%d", &block, &causal) != 2) return {};
    return Kind{block, causal == 1};
  }
};
using Shared = std::shared_ptr<Kind const>;

IPluginV3* make(Shared const& kind);

class Core final : public IPluginV3OneCore {
 public:
  AsciiChar const* getPluginName() const noexcept override { return "SparseAttention"; }
  AsciiChar const* getPluginVersion() const noexcept override { return "1"; }
  AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
};

class Build final : public IPluginV3OneBuild {
 public:
  explicit Build(Shared kind) : kind_(std::move(kind)) {}
  int32_t getNbOutputs() const noexcept override { return 1; }
  int32_t configurePlugin(DynamicPluginTensorDesc const*, int32_t nbInputs,
                          DynamicPluginTensorDesc const*, int32_t nbOutputs) noexcept override {
    return nbInputs == 4 && nbOutputs == 1 ? 0 : -1;
  }
  int32_t getOutputDataTypes(DataType* outputTypes, int32_t nbOutputs, DataType const* inputTypes,
                             int32_t) const noexcept override {
    return nbOutputs == 1 ? (*outputTypes = *inputTypes, 0) : -1;
  }
  int32_t getOutputShapes(DimsExprs const* inputs, int32_t, DimsExprs const*, int32_t,
                          DimsExprs* outputs, int32_t, IExprBuilder&) noexcept override {
    std::memcpy(outputs, inputs, sizeof(DimsExprs));
    return 0;
  }
  bool supportsFormatCombination(int32_t pos, DynamicPluginTensorDesc const* inOut, int32_t,
                                 int32_t) noexcept override {
    auto const& [dims, type, format, scale] = inOut[pos].desc;
    static_cast<void>(dims), static_cast<void>(scale);
    if (format != TensorFormat::kLINEAR) return false;
    bool const real = type == DataType::kFLOAT || type == DataType::kHALF;
    return pos == 3 ? type == DataType::kFLOAT : real && type == inOut->desc.type;
  }
  size_t getWorkspaceSize(DynamicPluginTensorDesc const* inputs, int32_t,
                          DynamicPluginTensorDesc const*, int32_t) const noexcept override {
    auto const* most = inputs->max.d;
    return attention_workspace(most[0], most[1], most[2], kind_->block) + 255 & ~size_t{255};
  }

 private:
  Shared kind_;
};

class Runtime final : public IPluginV3OneRuntime {
 public:
  explicit Runtime(Shared kind) : kind_(std::move(kind)), text_(kind_->text()) {}
  int32_t onShapeChange(PluginTensorDesc const* in, int32_t, PluginTensorDesc const* out,
                        int32_t) noexcept override {
    return in[0].dims.nbDims == out[0].dims.nbDims ? 0 : -1;
  }
  int32_t enqueue(PluginTensorDesc const* inputDesc, PluginTensorDesc const*,
                  void const* const* inputs, void* const* outputs, void* workspace,
                  cudaStream_t stream) noexcept override {
    auto const* sizes = inputDesc[1].dims.d;
    AttentionCall call;
    call.q = inputs[0], call.k = inputs[1], call.v = inputs[2];
    call.threshold = static_cast<float const*>(inputs[3]);
    call.out = outputs[0], call.workspace = workspace;
    call.batch = sizes[0], call.heads = sizes[1], call.length = sizes[2], call.depth = sizes[3];
    call.block = kind_->block, call.causal = kind_->causal;
    call.half = inputDesc[2].type == DataType::kHALF;
    return launch_attention(call, stream);
  }
  IPluginV3* attachToContext(IPluginResourceContext*) noexcept override { return make(kind_); }
  PluginFieldCollection const* getFieldsToSerialize() noexcept override {
    field_ = {"kind", text_.data(), PluginFieldType::kCHAR, static_cast<int32_t>(text_.size())};
    fields_ = {1, &field_};
    return &fields_;
  }

 private:
  Shared kind_;
  std::string const text_;
  PluginField field_;
  PluginFieldCollection fields_{};
};

class Plugin final : public IPluginV3 {
 public:
  explicit Plugin(Shared const& kind) : kind_(kind), build_(kind), runtime_(kind) {}
  IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept override {
    IPluginCapability* const all[] = {&core_, &build_, &runtime_};
    auto const place = static_cast<size_t>(type);
    return place < 3 ? all[place] : nullptr;
  }
  IPluginV3* clone() noexcept override { return make(kind_); }

 private:
  Shared kind_;
  Core core_;
  Build build_;
  Runtime runtime_;
};

IPluginV3* make(Shared const& kind) { return new Plugin(kind); }

class SparseAttentionCreator final : public IPluginCreatorV3One {
 public:
  AsciiChar const* getPluginName() const noexcept override { return Core().getPluginName(); }
  AsciiChar const* getPluginVersion() const noexcept override { return Core().getPluginVersion(); }
  AsciiChar const* getPluginNamespace() const noexcept override { return ""; }
  PluginFieldCollection const* getFieldNames() noexcept override {
    static PluginField const fields[] = {{"block", nullptr, PluginFieldType::kINT64, 1},
                                         {"causal", nullptr, PluginFieldType::kINT32, 1}};
    static PluginFieldCollection const collection{2, fields};
    return &collection;
  }
  IPluginV3* createPlugin(AsciiChar const*, PluginFieldCollection const* fc,
                          TensorRTPhase phase) noexcept override {
    std::optional<Kind> kind;
    if (phase == TensorRTPhase::kRUNTIME) {
      PluginField const& field = fc->fields[0];
      kind = Kind::parse({static_cast<char const*>(field.data), static_cast<size_t>(field.length)});
    } else {
      kind = Kind{0, false};
      for (int32_t i = 0; i < fc->nbFields; ++i) {
        auto const& [name, data, type, length] = fc->fields[i];
        static_cast<void>(type), static_cast<void>(length);
        if (std::strcmp(name, "block") == 0) std::memcpy(&kind->block, data, sizeof(int64_t));
        if (std::strcmp(name, "causal") == 0) kind->causal = *static_cast<int32_t const*>(data);
      }
    }
    return kind && kind->block > 0 ? make(std::make_shared<Kind const>(*kind)) : nullptr;
  }
};

REGISTER_TENSORRT_PLUGIN(SparseAttentionCreator);

}  // namespace lab
