"""TensorFlow Serving's messages, without TensorFlow, and a gRPC server that speaks them.

Names and field numbers are those of tensorflow_serving/apis/{model,predict}.proto and
tensorflow/core/framework/{tensor,tensor_shape,types}.proto, as far as Predict needs them; so a
client with the package tensorflow-serving-api sends these bytes. The messages are in a pool of
their own: TensorFlow registers its own under the same names.
"""

from concurrent import futures

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, wrappers_pb2

F = descriptor_pb2.FieldDescriptorProto

TYPES = {
    "float32": 1,
    "float64": 2,
    "int32": 3,
    "uint8": 4,
    "int16": 5,
    "int8": 6,
    "bytes": 7,
    "int64": 9,
    "bool": 10,
    "float16": 19,
}
"""DataType by NumPy's name for it; "bytes" is DT_STRING, in NumPy an array of objects."""

FIELDS = {
    "float32": "float_val",
    "float64": "double_val",
    "int32": "int_val",
    "uint8": "int_val",
    "int16": "int_val",
    "int8": "int_val",
    "bytes": "string_val",
    "int64": "int64_val",
    "bool": "bool_val",
    "float16": "half_val",
}
"""Field of a TensorProto with a type's values. half_val has the 16 bits of each as an integer."""


class Refused(Exception):
    """An error that the client gets. code: the name of a gRPC status, such as "NOT_FOUND"."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


def _message(file, name, *fields):
    message = file.message_type.add(name=name)
    for field_name, number, kind, label, type_name in fields:
        message.field.add(
            name=field_name, number=number, type=kind, label=label, type_name=type_name
        )
    return message


def _map(message, field, number, value):
    """Add a map from strings to messages of a type, as protoc describes one."""
    entry = message.nested_type.add(name=f"{field.capitalize()}Entry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL)
    entry.field.add(
        name="value", number=2, type=F.TYPE_MESSAGE, label=F.LABEL_OPTIONAL, type_name=value
    )
    message.field.add(
        name=field,
        number=number,
        type=F.TYPE_MESSAGE,
        label=F.LABEL_REPEATED,
        type_name=f".tensorflow.serving.{message.name}.{entry.name}",
    )


def _one(name, number, kind, type_name=None):
    return name, number, kind, F.LABEL_OPTIONAL, type_name


def _many(name, number, kind, type_name=None):
    return name, number, kind, F.LABEL_REPEATED, type_name


def _framework():
    file = descriptor_pb2.FileDescriptorProto(
        name="hotloop/framework.proto", package="tensorflow", syntax="proto3"
    )
    shape = _message(
        file,
        "TensorShapeProto",
        _many("dim", 2, F.TYPE_MESSAGE, ".tensorflow.TensorShapeProto.Dim"),
        _one("unknown_rank", 3, F.TYPE_BOOL),
    )
    dim = shape.nested_type.add(name="Dim")
    dim.field.add(name="size", number=1, type=F.TYPE_INT64, label=F.LABEL_OPTIONAL)
    dim.field.add(name="name", number=2, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL)
    _message(
        file,
        "TensorProto",
        _one("dtype", 1, F.TYPE_INT32),  # an enum, which is the same on the wire
        _one("tensor_shape", 2, F.TYPE_MESSAGE, ".tensorflow.TensorShapeProto"),
        _one("version_number", 3, F.TYPE_INT32),
        _one("tensor_content", 4, F.TYPE_BYTES),
        _many("float_val", 5, F.TYPE_FLOAT),
        _many("double_val", 6, F.TYPE_DOUBLE),
        _many("int_val", 7, F.TYPE_INT32),
        _many("string_val", 8, F.TYPE_BYTES),
        _many("int64_val", 10, F.TYPE_INT64),
        _many("bool_val", 11, F.TYPE_BOOL),
        _many("half_val", 13, F.TYPE_INT32),
    )
    return file


def _apis():
    file = descriptor_pb2.FileDescriptorProto(
        name="hotloop/apis.proto",
        package="tensorflow.serving",
        syntax="proto3",
        dependency=["hotloop/framework.proto", "google/protobuf/wrappers.proto"],
    )
    spec = _message(
        file,
        "ModelSpec",
        _one("name", 1, F.TYPE_STRING),
        _one("version", 2, F.TYPE_MESSAGE, ".google.protobuf.Int64Value"),
        _one("version_label", 4, F.TYPE_STRING),
        _one("signature_name", 3, F.TYPE_STRING),
    )
    spec.oneof_decl.add(name="version_choice")
    spec.field[1].oneof_index = spec.field[2].oneof_index = 0
    model = _one("model_spec", 1, F.TYPE_MESSAGE, ".tensorflow.serving.ModelSpec")
    request = _message(file, "PredictRequest", model, _many("output_filter", 3, F.TYPE_STRING))
    _map(request, "inputs", 2, ".tensorflow.TensorProto")
    model = _one("model_spec", 2, F.TYPE_MESSAGE, ".tensorflow.serving.ModelSpec")
    response = _message(file, "PredictResponse", model)
    _map(response, "outputs", 1, ".tensorflow.TensorProto")
    return file


_POOL = descriptor_pool.DescriptorPool()
_POOL.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
for _file in (_framework(), _apis()):
    _POOL.Add(_file)


def _class(name):
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(name))


TensorProto = _class("tensorflow.TensorProto")
PredictRequest = _class("tensorflow.serving.PredictRequest")
PredictResponse = _class("tensorflow.serving.PredictResponse")


def serve(predict, port):
    """Start a gRPC server on this machine whose PredictionService/Predict calls `predict`.

    predict: takes a PredictRequest; returns a PredictResponse, or raises Refused.
    """
    import grpc

    def answer(request, context):
        try:
            return predict(request)
        except Refused as refused:
            context.abort(grpc.StatusCode[refused.code], str(refused))

    method = grpc.unary_unary_rpc_method_handler(
        answer, PredictRequest.FromString, PredictResponse.SerializeToString
    )
    service = "tensorflow.serving.PredictionService"
    handler = grpc.method_handlers_generic_handler(service, {"Predict": method})
    server = grpc.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((handler,))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    return server
