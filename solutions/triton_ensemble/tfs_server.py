"""A server for TensorFlow Serving's clients: task 13.

    python tfs_server.py BASE PORT

serves the models in a folder BASE on a port of this machine; BASE/MODEL/VERSION is a SavedModel.
"""

import base64
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import tfs_messages as tfs

### BEGIN SOLUTION triton_ensemble.tf_serving
### STUB def to_array(tensor):
### STUB     """A TensorProto as an array; texts are an array of bytes objects."""
### STUB     raise NotImplementedError("triton_ensemble.tf_serving")
### STUB
### STUB
### STUB def to_tensor(array):
### STUB     """An array as a TensorProto."""
### STUB     raise NotImplementedError("triton_ensemble.tf_serving")
### STUB
### STUB
### STUB class Server:
### STUB     """base: a folder with a folder for each model, and in it one for each version.
### STUB
### STUB     labels: of each model, version by label.
### STUB     """
### STUB
### STUB     def __init__(self, base, labels):
### STUB         raise NotImplementedError("triton_ensemble.tf_serving")
### STUB
### STUB     def predict(self, request):
### STUB         """The PredictResponse to a PredictRequest. Raises tfs.Refused."""
### STUB         raise NotImplementedError("triton_ensemble.tf_serving")
NAMES = {number: name for name, number in tfs.TYPES.items()}


def to_array(tensor):
    """A TensorProto as an array; texts are an array of bytes objects."""
    if tensor.dtype not in NAMES:
        raise tfs.Refused("INVALID_ARGUMENT", f"tensor parsing error: type {tensor.dtype}")
    name = NAMES[tensor.dtype]
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    size = int(np.prod(shape))
    values = getattr(tensor, tfs.FIELDS[name])
    if name == "bytes":
        array = np.array([*(values or [b""])], object)
    elif tensor.tensor_content:
        if len(tensor.tensor_content) != size * np.dtype(name).itemsize:
            raise tfs.Refused("INVALID_ARGUMENT", "tensor parsing error: wrong number of bytes")
        return np.frombuffer(tensor.tensor_content, np.dtype(name)).reshape(shape)
    elif name == "float16":
        array = np.array(values or [0], np.uint16).view(np.float16)
    else:
        array = np.array(values or [0], name)
    # The last value stands for all that are left out.
    places = np.minimum(np.arange(size), len(array) - 1)
    return array[places].reshape(shape)


def to_tensor(array):
    """An array as a TensorProto."""
    array = np.asarray(array)
    name = "bytes" if array.dtype == object else array.dtype.name
    tensor = tfs.TensorProto(dtype=tfs.TYPES[name])
    # A scalar has a shape too, one without dimensions.
    tensor.tensor_shape.SetInParent()
    for size in array.shape:
        tensor.tensor_shape.dim.add(size=size)
    if name == "bytes":
        tensor.string_val.extend(array.reshape(-1).tolist())
    else:
        tensor.tensor_content = array.tobytes()
    return tensor


class Server:
    """base: a folder with a folder for each model, and in it one for each version.

    labels: of each model, version by label.
    """

    def __init__(self, base, labels):
        self.base, self.labels, self.loaded = Path(base), labels, {}

    def version(self, spec):
        """The version that is asked for, or the highest one."""
        folder = self.base / spec.name
        known = [int(f.name) for f in folder.glob("*") if f.name.isdigit() and f.is_dir()]
        if not spec.name or not known:
            raise tfs.Refused("NOT_FOUND", f"Servable not found for request: Latest({spec.name})")
        choice = spec.WhichOneof("version_choice")
        if choice == "version_label":
            label = spec.version_label
            if label not in self.labels.get(spec.name, {}):
                text = f"Unrecognized servable version label: {label}"
                raise tfs.Refused("INVALID_ARGUMENT", text)
            return self.labels[spec.name][label]
        if choice is None:
            return max(known)
        version = spec.version.value
        if version not in known:
            text = f"Servable not found for request: Specific({spec.name}, {version})"
            raise tfs.Refused("NOT_FOUND", text)
        return version

    def signatures(self, name, version):
        """The model's, loaded once."""
        import tensorflow as tf

        key = name, version
        if key not in self.loaded:
            # The functions are valid only while the loaded object is.
            self.loaded[key] = tf.saved_model.load(str(self.base / name / str(version)))
        return self.loaded[key].signatures

    def predict(self, request):
        """The PredictResponse to a PredictRequest. Raises tfs.Refused."""
        import tensorflow as tf

        spec = request.model_spec
        version = self.version(spec)
        signatures = self.signatures(spec.name, version)
        name = spec.signature_name or "serving_default"
        if name not in signatures:
            text = f'Serving signature key "{name}" not found.'
            raise tfs.Refused("FAILED_PRECONDITION", text)
        function = signatures[name]
        expected = function.structured_input_signature[1]
        if request.inputs.keys() != expected.keys():
            text = f"input size does not match signature: {sorted(request.inputs)}"
            raise tfs.Refused("INVALID_ARGUMENT", text)
        wanted = list(request.output_filter)
        unknown = set(wanted) - function.structured_outputs.keys()
        if unknown or len(set(wanted)) < len(wanted):
            text = f"output tensor alias not found in signature, or twice: {wanted}"
            raise tfs.Refused("INVALID_ARGUMENT", text)
        inputs = {}
        for key, tensor in request.inputs.items():
            inputs[key] = tf.constant(to_array(tensor))
            if not expected[key].is_compatible_with(inputs[key]):
                text = f"input {key} has another type or shape than {expected[key]}"
                raise tfs.Refused("INVALID_ARGUMENT", text)
        outputs = function(**inputs)
        response = tfs.PredictResponse()
        response.model_spec.name = spec.name
        response.model_spec.version.value = version
        response.model_spec.signature_name = name
        for key in wanted or outputs:
            response.outputs[key].CopyFrom(to_tensor(outputs[key].numpy()))
        return response


### END SOLUTION


def arrays(tensors):
    """What to_array makes of TensorProtos in base64: type, shape and values of each."""
    found = []
    for text in tensors:
        array = np.asarray(to_array(tfs.TensorProto.FromString(base64.b64decode(text))))
        flat = array.reshape(-1).tolist()
        values = [each.hex() if isinstance(each, bytes) else each for each in flat]
        name = "bytes" if array.dtype == object else array.dtype.name
        found.append([name, list(array.shape), values])
    return found


def tensors(given):
    """What to_tensor makes of arrays, each with type, shape and values: TensorProtos in base64."""
    found = []
    for name, shape, values in given:
        if name == "bytes":
            array = np.array([*map(bytes.fromhex, values), None], object)[:-1]
        else:
            array = np.array(values, name)
        tensor = to_tensor(array.reshape(shape))
        found.append(base64.b64encode(tensor.SerializeToString()).decode())
    return found


def respond(models, labels, requests):
    """The answers to requests in base64: a status and a PredictResponse in base64, or a text.

    models: a zip of the folder with the models.
    """
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(models) as packed:
            packed.extractall(folder)
        server, found = Server(folder, labels), []
        for text in requests:
            try:
                response = server.predict(tfs.PredictRequest.FromString(base64.b64decode(text)))
                content = base64.b64encode(response.SerializeToString()).decode()
                found.append(["OK", content])
            except tfs.Refused as refused:
                found.append([refused.code, str(refused)])
    return found


if __name__ == "__main__":
    base, port = sys.argv[1:]
    running = tfs.serve(Server(base, {}).predict, port)
    print(f"{base} on port {port}")
    try:
        time.sleep(1e9)
    except KeyboardInterrupt:
        running.stop(None)
