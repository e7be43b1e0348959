// What a custom operator needs of ONNX Runtime's C interface.
//
// ONNX Runtime's own header, onnxruntime_c_api.h, is not in its wheels. Where it is installed it is
// taken. Elsewhere the few functions that an operator calls are declared here, at their places in the
// table OrtApi: those of its first version, which never move. So a library that is built with this
// file is a real one, and a runtime without the header loads it.
#pragma once

#include <cstddef>
#include <cstdint>

#if __has_include(<onnxruntime_c_api.h>)
#include <onnxruntime_c_api.h>
#else

extern "C" {

typedef struct OrtStatus OrtStatus;
typedef OrtStatus* OrtStatusPtr;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtCustomOpDomain OrtCustomOpDomain;
typedef struct OrtKernelInfo OrtKernelInfo;
typedef struct OrtKernelContext OrtKernelContext;
typedef struct OrtValue OrtValue;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtApi OrtApi;
typedef struct OrtApiBase OrtApiBase;
typedef struct OrtCustomOp OrtCustomOp;

typedef enum OrtErrorCode { ORT_OK, ORT_FAIL, ORT_INVALID_ARGUMENT } OrtErrorCode;

typedef enum ONNXTensorElementDataType {
  ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED,
  ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT,
} ONNXTensorElementDataType;

typedef enum OrtCustomOpInputOutputCharacteristic {
  INPUT_OUTPUT_REQUIRED = 0,
  INPUT_OUTPUT_OPTIONAL,
} OrtCustomOpInputOutputCharacteristic;

struct OrtApiBase {
  OrtApi const* (*GetApi)(uint32_t version);
  char const* (*GetVersionString)();
};

// The first 102 of its functions; the numbers are places in the table.
struct OrtApi {
  OrtStatus* (*CreateStatus)(OrtErrorCode code, char const* message);
  void* unused_1_to_25[25];
  OrtStatus* (*CreateCustomOpDomain)(char const* domain, OrtCustomOpDomain** out);
  OrtStatus* (*CustomOpDomain_Add)(OrtCustomOpDomain* domain, OrtCustomOp const* op);
  OrtStatus* (*AddCustomOpDomain)(OrtSessionOptions* options, OrtCustomOpDomain* domain);
  void* unused_29_to_50[22];
  OrtStatus* (*GetTensorMutableData)(OrtValue* value, void** out);
  void* unused_52_to_59[8];
  OrtStatus* (*GetTensorElementType)(OrtTensorTypeAndShapeInfo const* info,
                                     ONNXTensorElementDataType* out);
  OrtStatus* (*GetDimensionsCount)(OrtTensorTypeAndShapeInfo const* info, size_t* out);
  OrtStatus* (*GetDimensions)(OrtTensorTypeAndShapeInfo const* info, int64_t* out, size_t count);
  void* unused_63_to_64[2];
  OrtStatus* (*GetTensorTypeAndShape)(OrtValue const* value, OrtTensorTypeAndShapeInfo** out);
  void* unused_66_to_85[20];
  OrtStatus* (*KernelInfoGetAttribute_int64)(OrtKernelInfo const* info, char const* name,
                                             int64_t* out);
  void* unused_87[1];
  OrtStatus* (*KernelContext_GetInputCount)(OrtKernelContext const* context, size_t* out);
  OrtStatus* (*KernelContext_GetOutputCount)(OrtKernelContext const* context, size_t* out);
  OrtStatus* (*KernelContext_GetInput)(OrtKernelContext const* context, size_t index,
                                       OrtValue const** out);
  OrtStatus* (*KernelContext_GetOutput)(OrtKernelContext* context, size_t index,
                                        int64_t const* dims, size_t count, OrtValue** out);
  void* unused_92[1];
  void (*ReleaseStatus)(OrtStatus* status);
  void* unused_94_to_98[5];
  void (*ReleaseTensorTypeAndShapeInfo)(OrtTensorTypeAndShapeInfo* info);
  void* unused_100[1];
  void (*ReleaseCustomOpDomain)(OrtCustomOpDomain* domain);
};
static_assert(offsetof(OrtApi, ReleaseCustomOpDomain) == 101 * sizeof(void*),
              "the first version of the table ends at place 101");

// The operator as version 10 of the interface knows it; later ones add fields behind these.
#define ORT_API_VERSION 10
struct OrtCustomOp {
  uint32_t version;
  void* (*CreateKernel)(OrtCustomOp const* op, OrtApi const* api, OrtKernelInfo const* info);
  char const* (*GetName)(OrtCustomOp const* op);
  char const* (*GetExecutionProviderType)(OrtCustomOp const* op);
  ONNXTensorElementDataType (*GetInputType)(OrtCustomOp const* op, size_t index);
  size_t (*GetInputTypeCount)(OrtCustomOp const* op);
  ONNXTensorElementDataType (*GetOutputType)(OrtCustomOp const* op, size_t index);
  size_t (*GetOutputTypeCount)(OrtCustomOp const* op);
  void (*KernelCompute)(void* kernel, OrtKernelContext* context);
  void (*KernelDestroy)(void* kernel);
  OrtCustomOpInputOutputCharacteristic (*GetInputCharacteristic)(OrtCustomOp const* op,
                                                                 size_t index);
  OrtCustomOpInputOutputCharacteristic (*GetOutputCharacteristic)(OrtCustomOp const* op,
                                                                  size_t index);
};

}  // extern "C"

#endif

// The version of the interface that an operator of this module asks for, with either header.
constexpr uint32_t kOrtVersion = 10;
