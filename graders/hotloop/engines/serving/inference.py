"""A client of the open inference protocol over HTTP, on the standard library and numpy only.

The judge's own process uses it. Tensors are sent in binary, by Triton's extension. Responses come
from untrusted models: sizes and shapes are checked before use, and a BYTES tensor stays bytes.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from hotloop.core.closing import Closing
from hotloop.engines.serving.http import HttpResponse

if TYPE_CHECKING:
    from hotloop.engines.serving.server import TritonServer

Array = NDArray[Any]

HEADER = "Inference-Header-Content-Length"
_DTYPES: dict[str, Any] = {
    "BOOL": np.bool_, "UINT8": np.uint8, "UINT16": np.uint16, "UINT32": np.uint32,
    "UINT64": np.uint64, "INT8": np.int8, "INT16": np.int16, "INT32": np.int32,
    "INT64": np.int64, "FP16": np.float16, "FP32": np.float32, "FP64": np.float64,
}  # fmt: skip
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
_MOST_DIMENSIONS = 16


class InferenceFailed(RuntimeError):
    """The server replied with an error: HTTP `status`, and the server's message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Client(Closing):
    """A connection to a server. OSError if it breaks, ValueError for an invalid response."""

    def __init__(self, server: TritonServer, timeout_s: float = 10.0) -> None:
        self._http = server.http(timeout_s)

    def infer(
        self,
        model: str,
        inputs: Mapping[str, Array],
        *,
        version: str = "",
        outputs: Sequence[str] = (),
        parameters: Mapping[str, Any] | None = None,
    ) -> dict[str, Array]:
        """Run a model; return all outputs, or those requested. Raises InferenceFailed.

        inputs: arrays by name; an object array is sent as BYTES. parameters: of the request, such
        as sequence_id, priority or timeout.
        """
        path = f"/v2/models/{model}" + (f"/versions/{version}" if version else "") + "/infer"
        body, header_bytes = encode(inputs, outputs, parameters)
        answer = self._http.post(path, body, {HEADER: str(header_bytes)})
        _raise_for(answer)
        return decode(answer)

    def get(self, path: str) -> dict[str, Any]:
        """Get a JSON document, such as /v2/models/NAME. Raises InferenceFailed."""
        answer = self._http.get(path)
        _raise_for(answer)
        return answer.json()

    def post(self, path: str, document: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Post a JSON document, for example to load a model. Raises InferenceFailed."""
        answer = self._http.post(path, json.dumps(document or {}).encode())
        _raise_for(answer)
        return answer.json() if answer.body else {}

    def load(self, model: str, config: Mapping[str, Any] | None = None) -> None:
        """Load a model; `config` replaces its config.pbtxt."""
        document = {"parameters": {"config": json.dumps(config)}} if config is not None else None
        self.post(f"/v2/repository/models/{model}/load", document)

    def unload(self, model: str) -> None:
        """Unload a model; the server replies before that is done."""
        self.post(f"/v2/repository/models/{model}/unload")

    def close(self) -> None:
        """Close the connection."""
        self._http.close()


def texts(sentences: Sequence[str]) -> Array:
    """Return a BYTES tensor of shape (number of texts, 1)."""
    array = np.empty((len(sentences), 1), object)
    array[:, 0] = [sentence.encode() for sentence in sentences]
    return array


def encode(
    inputs: Mapping[str, Array],
    outputs: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
) -> tuple[bytes, int]:
    """Return the body of a request, and the length of the JSON at its start."""
    parts: list[bytes] = []
    descriptions: list[dict[str, Any]] = []
    for name, array in inputs.items():
        datatype, data = _raw(array)
        size = {"binary_data_size": len(data)}
        shape = list(array.shape)
        entry = {"name": name, "datatype": datatype, "shape": shape, "parameters": size}
        descriptions.append(entry)
        parts.append(data)
    document: dict[str, Any] = {"inputs": descriptions}
    if outputs:
        wanted = {"binary_data": True}
        document["outputs"] = [{"name": name, "parameters": wanted} for name in outputs]
    document["parameters"] = {"binary_data_output": True, **(parameters or {})}
    header = json.dumps(document).encode()
    return b"".join([header, *parts]), len(header)


def decode(answer: HttpResponse) -> dict[str, Array]:
    """Parse the outputs of a response. Raises ValueError if it contradicts itself."""
    length = answer.headers.get(HEADER.lower(), "")
    header_bytes = int(length) if length.isdecimal() else len(answer.body)
    document = HttpResponse(answer.status, {}, answer.body[:header_bytes]).json()
    rest = memoryview(answer.body)[header_bytes:]
    outputs: dict[str, Array] = {}
    entries = document.get("outputs")
    if not isinstance(entries, list):
        raise ValueError("the server's answer has no outputs")
    for entry in cast("list[Any]", entries):
        name, datatype, shape, size = _described(entry)
        if size > len(rest):
            raise ValueError(f"output {name!r} is shorter than it says")
        outputs[name] = _array(name, datatype, shape, bytes(rest[:size]))
        rest = rest[size:]
    return outputs


def _described(entry: Any) -> tuple[str, str, tuple[int, ...], int]:
    try:
        name, datatype = str(entry["name"]), str(entry["datatype"])
        shape: tuple[Any, ...] = tuple(entry["shape"])
        size: Any = entry["parameters"]["binary_data_size"]
    except (KeyError, TypeError) as error:
        raise ValueError(f"an output is not described ({error})") from None
    numbers = (*shape, size)
    if any(type(n) is not int or n < 0 for n in numbers) or len(shape) > _MOST_DIMENSIONS:
        raise ValueError(f"output {name!r} has no proper shape")
    return name, datatype, shape, size


def _raw(array: Array) -> tuple[str, bytes]:
    if array.dtype == np.object_:
        items = [item.encode() if isinstance(item, str) else bytes(item) for item in array.flat]
        return "BYTES", b"".join(struct.pack("<I", len(item)) + item for item in items)
    return _NAMES[array.dtype], np.ascontiguousarray(array).tobytes()


def _array(name: str, datatype: str, shape: tuple[int, ...], data: bytes) -> Array:
    count = math.prod(shape)
    if datatype == "BYTES":
        items = _items(name, data)
        if len(items) != count:
            raise ValueError(f"output {name!r} has {len(items)} texts, and its shape says {count}")
        array = np.empty(count, object)
        array[:] = items
        return array.reshape(shape)
    dtype = _DTYPES.get(datatype)
    if dtype is None:
        raise ValueError(f"output {name!r} is {datatype}, which is not known here")
    if count * np.dtype(dtype).itemsize != len(data):
        raise ValueError(f"output {name!r} has {len(data)} bytes, and its shape says otherwise")
    return np.frombuffer(data, dtype).reshape(shape)


def _items(name: str, data: bytes) -> list[bytes]:
    items: list[bytes] = []
    position = 0
    while position < len(data):
        end = position + 4 + int.from_bytes(data[position : position + 4], "little")
        if position + 4 > len(data) or end > len(data):
            raise ValueError(f"output {name!r} ends in the middle of a text")
        items.append(data[position + 4 : end])
        position = end
    return items


def _raise_for(answer: HttpResponse) -> None:
    if answer.status == 200:
        return
    try:
        message = str(answer.json().get("error", ""))
    except ValueError:
        message = ""
    raise InferenceFailed(answer.status, message or f"HTTP status {answer.status}")
