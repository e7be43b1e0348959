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

### TASK triton_ensemble.tf_serving
def to_array(tensor):
    """A TensorProto as an array; texts are an array of bytes objects."""
    raise NotImplementedError("triton_ensemble.tf_serving")


def to_tensor(array):
    """An array as a TensorProto."""
    raise NotImplementedError("triton_ensemble.tf_serving")


class Server:
    """base: a folder with a folder for each model, and in it one for each version.

    labels: of each model, version by label.
    """

    def __init__(self, base, labels):
        raise NotImplementedError("triton_ensemble.tf_serving")

    def predict(self, request):
        """The PredictResponse to a PredictRequest. Raises tfs.Refused."""
        raise NotImplementedError("triton_ensemble.tf_serving")


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
