"""What the judge asks of the tasks of module sparse_attention_op."""

from __future__ import annotations

from hotloop.checks.sparse_attention_op import (
    cpu_kernels,
    custom_ops,
    exports,
    fallbacks,
    kernels,
    native_ops,
    operators,
    plugins,
    references,
    shapes,
    silences,
)
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.variants.variant import Variant


def reference() -> Check:
    """The paper in plain PyTorch."""
    return Check(Candidate("attention", references.FILE), references.rungs())


def operator() -> Check:
    """The same as an operator of PyTorch."""
    return Check(Candidate("attention", operators.FILE), operators.rungs())


def kernel() -> Check:
    """The kernel in OpenAI Triton, over lists of kept blocks."""
    return Check(Candidate("attend", kernels.FILE, "destination"), kernels.rungs())


def decomposition() -> Check:
    """An ONNX file in standard operators."""
    return Check(
        Candidate("decomposed", exports.FILE, "json"),
        exports.decomposition_rungs(),
        extras=("onnx",),
    )


def function(variant: Variant | None = None) -> Check:
    """An ONNX file with one node and the function behind it."""
    rungs = exports.function_rungs(_number(variant, "FUNCTION_VERSION") or 0)
    return Check(Candidate("as_function", exports.FILE, "json"), rungs, extras=("onnx",))


def node() -> Check:
    """An ONNX file with one node of the laboratory's domain."""
    return Check(Candidate("as_node", exports.FILE, "json"), exports.node_rungs(), extras=("onnx",))


def shape_inference(variant: Variant | None = None) -> Check:
    """Shapes behind nodes that ONNX knows nothing of."""
    rungs = shapes.rungs(_number(variant, "SHAPED_VERSION") or 0)
    return Check(Candidate("infer", shapes.FILE, "json"), rungs, extras=("onnx",))


def silent(variant: Variant | None = None) -> Check:
    """Exports that are wrong in silence."""
    rungs = silences.rungs(_number(variant, "SOUND") or silences.AGREES)
    return Check(Candidate("fault", silences.FILE, "json"), rungs, extras=("onnx",))


def fallback(variant: Variant | None = None) -> Check:
    """What a runtime can take, and what it is given."""
    rungs = fallbacks.rungs(_number(variant, "NOTHING"))
    return Check(Candidate("partition", fallbacks.FILE, "json"), rungs, extras=("onnx",))


def cpu_kernel(variant: Variant | None = None) -> Check:
    """The kernel in C++ on a CPU."""
    return Check(
        Candidate("attend", cpu_kernels.FILE, "destination"),
        cpu_kernels.rungs(_number(variant, "GAIN") or 1),
        programs={"g++": "g++"},
    )


def custom_op(variant: Variant | None = None) -> Check:
    """Bare nodes in ONNX Runtime."""
    return Check(
        Candidate("run", custom_ops.FILE, "json"),
        custom_ops.rungs(_number(variant, "TIMES") or 1),
        extras=("onnx", "onnx_custom"),
    )


def native_op() -> Check:
    """Bare nodes in ONNX Runtime, by a library in C++."""
    return Check(
        Candidate(native_ops.ENTRY, native_ops.FILE),
        native_ops.rungs(),
        extras=("onnx",),
        programs={"g++": "g++"},
    )


def plugin() -> Check:
    """The operator for TensorRT, through a stub of its interface."""
    return Check(Candidate(plugins.CREATOR, plugins.FILE), plugins.rungs(), programs={"g++": "g++"})


def plugin_python() -> Check:
    """The same in Python."""
    return Check(Candidate(plugins.CREATOR, plugins.PYTHON_FILE), plugins.python_rungs())


def _number(variant: Variant | None, constant: str) -> int | None:
    """A variant's number; None without one."""
    return int(variant.constants[constant]) if variant is not None and variant.constants else None
