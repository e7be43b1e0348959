"""A Keras model for two servers, and TensorFlow Serving's requests for Triton: task 12."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import keras_model

### BEGIN SOLUTION triton_ensemble.saved_model
### STUB def to_saved_model(seed, target):
### STUB     """Write load(seed) as a zip of a SavedModel: saved_model.pb lies at its top."""
### STUB     raise NotImplementedError("triton_ensemble.saved_model")
### STUB
### STUB
### STUB def to_onnx(seed, target):
### STUB     """Write load(seed) as an ONNX file, by tf2onnx."""
### STUB     raise NotImplementedError("triton_ensemble.saved_model")


def served(seed):
    """The model as a function with one signature: its names and its free batch."""
    import tensorflow as tf

    model = keras_model.load(seed)
    given = tf.TensorSpec((None, *keras_model.SIZE), tf.float32, name=keras_model.INPUT)

    @tf.function(input_signature=[given])
    def serve(images):
        return {keras_model.OUTPUT: model(images, training=False)}

    return model, serve, given


def to_saved_model(seed, target):
    """Write load(seed) as a zip of a SavedModel: saved_model.pb lies at its top."""
    import tensorflow as tf

    model, serve, _ = served(seed)
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, f"{folder}/model", signatures={"serving_default": serve})
        shutil.copy(shutil.make_archive(f"{folder}/packed", "zip", f"{folder}/model"), target)


def to_onnx(seed, target):
    """Write load(seed) as an ONNX file, by tf2onnx."""
    import tf2onnx

    _, serve, given = served(seed)
    # from_keras fails with Keras 3: it looks for tensors by names of Keras 2.
    model, _ = tf2onnx.convert.from_function(serve, input_signature=[given], opset=18)
    Path(target).write_bytes(model.SerializeToString())


### END SOLUTION


### BEGIN SOLUTION triton_ensemble.saved_model rest
### STUB def to_triton(path, body, signature):
### STUB     """A TensorFlow Serving request in Triton's protocol: [path, body], or None."""
### STUB     raise NotImplementedError("triton_ensemble.saved_model")
### STUB
### STUB
### STUB def from_triton(request, answer):
### STUB     """Triton's answer, JSON, as TensorFlow Serving would say it to `request`, JSON."""
### STUB     raise NotImplementedError("triton_ensemble.saved_model")
PATH = re.compile(r"/v1/models/([^/:]+)(?:/versions/(\d+))?:predict")


def to_triton(path, body, signature):
    """A TensorFlow Serving request in Triton's protocol: [path, body], or None."""
    known, said = PATH.fullmatch(path), json.loads(body)
    if known is None or ("instances" in said) == ("inputs" in said):
        return None
    name, version = known.groups()
    types = json.loads(signature)
    columns = {input_name: [] for input_name in types}
    if "inputs" in said:
        given = said["inputs"]
        columns = given if isinstance(given, dict) else {next(iter(types)): given}
    else:
        for row in said["instances"]:
            named = row if isinstance(row, dict) else {next(iter(types)): row}
            for input_name, value in named.items():
                columns[input_name].append(value)
    tensors = [
        {
            "name": input_name,
            "datatype": types[input_name],
            "shape": shape_of(value),
            "data": flat(value),
        }
        for input_name, value in columns.items()
    ]
    place = f"/versions/{version}" if version else ""
    return [f"/v2/models/{name}{place}/infer", json.dumps({"inputs": tensors})]


def from_triton(request, answer):
    """Triton's answer, JSON, as TensorFlow Serving would say it to `request`, JSON."""
    outputs = {
        tensor["name"]: nested(tensor["data"], tensor["shape"])
        for tensor in json.loads(answer)["outputs"]
    }
    single = next(iter(outputs.values())) if len(outputs) == 1 else None
    if "inputs" in json.loads(request):
        return json.dumps({"outputs": outputs if single is None else single})
    if single is not None:
        return json.dumps({"predictions": single})
    rows = zip(*outputs.values(), strict=True)
    return json.dumps({"predictions": [dict(zip(outputs, row, strict=True)) for row in rows]})


def shape_of(value):
    """Of nested lists."""
    return [len(value), *shape_of(value[0])] if isinstance(value, list) else []


def flat(value):
    """Row by row."""
    if not isinstance(value, list):
        return [value]
    return [number for part in value for number in flat(part)]


def nested(data, shape):
    """The opposite of `flat`."""
    if len(shape) == 1:
        return data
    step = len(data) // shape[0]
    return [nested(data[at : at + step], shape[1:]) for at in range(0, len(data), step)]


### END SOLUTION
