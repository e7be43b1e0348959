"""Build a candidate's plugin with a stub of TensorRT's interface, and call it as TensorRT would.

Call `load` first. Plugins are known by number; `run` enqueues one.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

HERE = Path(__file__).parent
COMMON = ("g++", "-std=c++17", "-fPIC")
TEXTS = ("name", "version", "namespace")
POINTERS = ("made", "cloned", "attached", "restored")
STRINGS = ("mismatch", "text", "core_text")
LOADED: list[ctypes.CDLL] = []
PLUGINS: list[int] = []


def load(path: str) -> list[dict[str, Any]]:
    """Build and load the plugin; return what its creators report."""
    library = str(Path(tempfile.mkdtemp()) / "plugin.so")
    _run(
        *COMMON, "-O1", "-shared", f"-I{HERE}", path, str(HERE / "plugin_caller.cpp"), "-o", library
    )
    loaded = ctypes.CDLL(library)
    for name in POINTERS:
        getattr(loaded, f"trial_{name}").restype = ctypes.c_void_p
    for name in STRINGS:
        getattr(loaded, f"trial_{name}").restype = ctypes.c_char_p
    for name in ("workspace", "told_field"):
        getattr(loaded, f"trial_{name}").restype = ctypes.c_int64
    LOADED[:] = [loaded]
    PLUGINS.clear()
    return [_creator(which) for which in range(loaded.trial_creators())]


def compiles(path: str, folders: Sequence[str]) -> None:
    """Compile the plugin against the headers installed in `folders`."""
    target = str(Path(tempfile.mkdtemp()) / "plugin.o")
    included = [f"-I{folder}" for folder in folders]
    # This folder is searched last, and only for launch_attention.h; the stub headers must not be
    # found first.
    own = Path(tempfile.mkdtemp())
    (own / "launch_attention.h").write_bytes((HERE / "launch_attention.h").read_bytes())
    _run(*COMMON, "-c", *included, f"-I{own}", path, "-o", target)


def made(block: int, causal: int) -> int:
    """Return the number of a plugin for a node with these attributes."""
    return _registered(LOADED[0].trial_made(0, ctypes.c_int64(block), ctypes.c_int64(causal)))


def cloned(number: int) -> int:
    """Return the number of a clone; the original is destroyed."""
    original = ctypes.c_void_p(PLUGINS[number])
    clone = LOADED[0].trial_cloned(original)
    LOADED[0].trial_destroyed(original)
    return _registered(clone)


def attached(number: int) -> int:
    """Return the number of a plugin attached to a context; the original remains."""
    return _registered(LOADED[0].trial_attached(ctypes.c_void_p(PLUGINS[number])))


def stored(number: int) -> str:
    """Return the fields that an engine stores of a plugin, as JSON; the plugin is destroyed."""
    library, plugin = LOADED[0], ctypes.c_void_p(PLUGINS[number])
    fields: list[list[Any]] = []
    for i in range(library.trial_told(plugin)):
        name, data = ctypes.c_char_p(), ctypes.c_void_p()
        kind, length = ctypes.c_int32(), ctypes.c_int32()
        places = map(ctypes.byref, (name, data, kind, length))
        size = library.trial_told_field(i, *places)
        if size >= 0:
            content = ctypes.string_at(data.value or 0, size) if size else b""
            fields.append([_text(name.value), kind.value, content.hex(), length.value])
    _require_no_mismatch()
    library.trial_destroyed(plugin)
    return json.dumps(fields)


def restored(fields: str) -> int:
    """Return the number of a plugin created from stored fields."""
    for name, kind, content, length in json.loads(fields):
        data = bytes.fromhex(content)
        LOADED[0].trial_stored(name.encode(), kind, data, ctypes.c_int64(len(data)), length)
    return _registered(LOADED[0].trial_restored(0))


def described(number: int, sizes: str) -> dict[str, Any]:
    """Return capabilities (bits), names, outputs, types and shape.

    Only the capabilities if one of them is wrong.
    """
    library, plugin = LOADED[0], ctypes.c_void_p(PLUGINS[number])
    reported: dict[str, Any] = {"capabilities": library.trial_capabilities(plugin)}
    if reported["capabilities"] != 7:
        return reported
    reported |= {t: _text(library.trial_core_text(plugin, i)) for i, t in enumerate(TEXTS)}
    reported["outputs"] = library.trial_outputs(plugin)
    types = ([0, 0, 0, 0], [1, 1, 1, 0])
    reported["types"] = [library.trial_type(plugin, (ctypes.c_int32 * 4)(*each)) for each in types]
    out = (ctypes.c_int64 * 8)()
    rank = library.trial_shape(plugin, _sizes(sizes), out)
    reported["shape"] = list(out)[:rank] if rank >= 0 else None
    return reported


def supports(number: int, calls: str) -> list[bool]:
    """Return an answer for each [position, types, formats] in `calls` (JSON)."""
    plugin = ctypes.c_void_p(PLUGINS[number])
    five = ctypes.c_int32 * 5
    return [
        bool(LOADED[0].trial_supports(plugin, position, five(*types), five(*formats)) & 1)
        for position, types, formats in json.loads(calls)
    ]


def workspace(number: int, least: str, usual: str, most: str, half: int) -> int:
    """Return the workspace that the plugin asks for, in bytes."""
    plugin = ctypes.c_void_p(PLUGINS[number])
    return LOADED[0].trial_workspace(plugin, *map(_sizes, (least, usual, most)), half)


def configured(number: int, least: str, usual: str, most: str, half: int) -> int:
    """Return the code of configurePlugin."""
    plugin = ctypes.c_void_p(PLUGINS[number])
    return LOADED[0].trial_configured(plugin, *map(_sizes, (least, usual, most)), half)


def shaped(number: int, sizes: str, half: int) -> int:
    """Return the code of onShapeChange."""
    return LOADED[0].trial_shaped(ctypes.c_void_p(PLUGINS[number]), _sizes(sizes), half)


def run(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    threshold: torch.Tensor,
    number: int,
    workspace_bytes: int,
    stream: int,
    out: torch.Tensor,
) -> None:
    """Enqueue plugin `number`. stream: any number stands for a stream; 0 for the default one.

    Raises RuntimeError if enqueue fails or launches with wrong arguments.
    """
    tensors = [*(x.contiguous() for x in (q, k, v, threshold)), out]
    pointers = (ctypes.c_void_p * 5)(*(x.data_ptr() for x in tensors))
    sizes = (ctypes.c_int64 * 4)(*q.shape)
    half, plugin = int(q.element_size() == 2), ctypes.c_void_p(PLUGINS[number])
    code = LOADED[0].trial_enqueued(
        plugin, sizes, half, pointers, *map(ctypes.c_int64, (workspace_bytes, stream))
    )
    _require_no_mismatch()
    if code != 0:
        raise RuntimeError(f"enqueue returned {code}")


def _creator(which: int) -> dict[str, Any]:
    library = LOADED[0]
    reported: dict[str, Any] = {t: _text(library.trial_text(which, i)) for i, t in enumerate(TEXTS)}
    reported["fields"] = []
    name = ctypes.c_char_p()
    while (kind := library.trial_field(which, len(reported["fields"]), ctypes.byref(name))) >= 0:
        reported["fields"].append([_text(name.value), kind])
    return reported


def _registered(pointer: int | None) -> int:
    _require_no_mismatch()
    if not pointer:
        raise RuntimeError("there is no plugin")
    PLUGINS.append(pointer)
    return len(PLUGINS) - 1


def _require_no_mismatch() -> None:
    mismatch = _text(LOADED[0].trial_mismatch())
    if mismatch:
        raise RuntimeError(mismatch)


def _text(text: bytes | None) -> str:
    return (text or b"").decode(errors="replace")


def _sizes(text: str) -> Any:
    return (ctypes.c_int64 * 4)(*json.loads(text))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:2000])
