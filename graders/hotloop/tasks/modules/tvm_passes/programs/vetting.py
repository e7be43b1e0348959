"""Read a candidate's TVM module from JSON, and refuse everything that is not allowed.

TVM's JSON is a list of typed nodes. Before TVM reads it, each node's type and each operator must be
on an allow list. Everything else is refused, so calls of external functions (call_extern, packed
functions, LLVM or PTX intrinsics, closures), aliases of buffers and `while` need no rules of their
own. Then a visitor of the loaded module refuses what is told from more than a type: pragmas with C
or LLVM sources, names that are none, functions of other modules. Last, sizes are checked, so that
compiling and running end.

This does not make loading the JSON safe. Fields of the wrong type can crash TVM's reader, and an
index can be out of bounds even in an accepted module. Both happen only in a sandboxed worker that
holds nothing but the candidate's file, our programs, and the judge's tensors for one case, whose
outputs are poisoned and whose inputs are compared after the run. So read and run a candidate's
module only in a `given` program, and never trust a number from the process that has run it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from json import JSONDecodeError
from math import prod
from pathlib import Path
from typing import Any

import tvm
import tvm_ffi
from accesses import statements, thread_axis
from tvm import sym, tirx
from tvm.s_tir import SBlock


def _words(text: str, prefix: str = "") -> frozenset[str]:
    """Return the words of `text`, each with `prefix` in front."""
    return frozenset(prefix + word for word in text.split())


_COMMON_TYPES = _words(
    """
    None bool int float ffi.String ffi.Array ffi.Map
    ir.Type ir.PrimType ir.TupleType ir.StringType ir.IntImm ir.FloatImm ir.StringImm
    ir.Var ir.GlobalVar ir.Op ir.Call ir.Tuple ir.TupleGetItem ir.Range ir.DictAttrs
    ir.Span ir.SourceName ir.SourceMap ir.IRModule
    relax.ShapeType relax.TensorType relax.FuncType relax.expr.ShapeExpr
    """
)

_ARITHMETIC = _words(
    """
    Add Sub Mul Div Mod FloorDiv FloorMod Min Max EQ NE LT LE GT GE And Or Not Select Cast
    BitwiseAnd BitwiseOr BitwiseXor BitwiseNot LShift RShift Let Ramp Broadcast
    """,
    "prim.",
)

_TIR_TYPES = _words(
    """
    tirx.PrimFunc tirx.For tirx.SeqStmt tirx.BufferStore tirx.Evaluate tirx.IfThenElse tirx.Bind
    tirx.AllocBuffer tirx.BufferType tirx.BufferRegionType tirx.IterVar
    tirx.TileLayout tirx.Iter tirx.Axis
    ir.TensorLoad ir.TensorRegion s_tir.SBlock s_tir.SBlockRealize
    """
)

_TIR_OPS = _words("if_then_else likely log2 ceil clz", "prim.") | _words(
    """
    exp exp2 exp10 log log10 log1p sqrt rsqrt sigmoid tanh tan sin cos sinh cosh asin acos atan
    asinh acosh atanh atan2 erf pow fma fabs floor round trunc nearbyint fmod copysign hypot
    isnan isinf isfinite popcount
    """,
    "tirx.",
)

_TIR_ATTRIBUTES = frozenset(
    ["global_symbol", "tirx.noalias", "tirx.is_scheduled", "s_tir", "op_pattern"]
)

_ANNOTATIONS = _words(
    """
    pragma_auto_unroll_max_step pragma_unroll_explicit buffer_dim_align
    meta_schedule.tiling_structure meta_schedule.parallel meta_schedule.vectorize
    meta_schedule.unroll_explicit meta_schedule.unroll_implicit
    meta_schedule.thread_extent_low_inclusive meta_schedule.thread_extent_high_inclusive
    meta_schedule.cooperative_fetch meta_schedule.random_compute_producer
    """
)

_RELAX_TYPES = _words(
    """
    relax.expr.Function relax.expr.SeqExpr relax.expr.BindingBlock relax.expr.DataflowBlock
    relax.expr.VarBinding relax.expr.DataflowVar relax.ObjectType
    ir.GenericConst ffi.Tensor
    """
)

_RELAX_OPS = frozenset(["relax.call_tir"])
"""Each task adds the operators of its networks."""

_RELAX_ATTRIBUTES = frozenset(["global_symbol", "num_input", "relax.force_pure", "Primitive"])

_NAME = re.compile(r"[\w.:/-]{0,120}")
"""Names end up in generated source, so they may contain only these characters."""

_DTYPE = re.compile(r"(bool|u?int(8|16|32|64)|float(16|32|64)|bfloat16)(x\d{1,2})?|void|")

_THREADS = frozenset(
    ["", "vthread", "vthread.x", "vthread.y", "vthread.z"]
    + [f"{what}.{axis}" for what in ("blockIdx", "threadIdx") for axis in "xyz"]
)


class Refused(ValueError):
    """The module is not in the language, or too large.

    The message is the beginning of a sentence.
    """


@dataclass(frozen=True)
class Language:
    """What a candidate's module may contain. `with_more` widens it for a task.

    types: of nodes. prefixes: of further types' names. ops: that may be called. attributes: of
        functions. annotations: of loops, blocks and allocations. scopes: of buffers' storage.
    most_nodes: of the graph. most_steps: statements that a call executes, guards taken as true.
    most_unrolled: copies of a statement that unrolling and vectorizing make.
    most_bytes: of one buffer. most_text: bytes of the file.
    """

    types: frozenset[str]
    ops: frozenset[str]
    attributes: frozenset[str]
    annotations: frozenset[str] = _ANNOTATIONS
    prefixes: tuple[str, ...] = ()
    scopes: frozenset[str] = frozenset(["", "global", "shared", "local"])
    most_nodes: int = 20_000
    most_steps: int = 1 << 33
    most_unrolled: int = 4096
    most_bytes: int = 1 << 28
    most_text: int = 8 << 20

    def with_more(self, **words: Iterable[str]) -> Language:
        """Return a copy that also allows these: `types`, `ops`, `attributes` or `annotations`."""
        more: dict[str, Any] = {name: getattr(self, name) | set(new) for name, new in words.items()}
        return replace(self, **more)


TIR = Language(_COMMON_TYPES | _ARITHMETIC | _TIR_TYPES, _TIR_OPS, _TIR_ATTRIBUTES)
"""Functions of loops, blocks, loads and stores, before or after scheduling."""

RELAX = Language(
    _COMMON_TYPES | _ARITHMETIC | _TIR_TYPES | _RELAX_TYPES,
    _TIR_OPS | _RELAX_OPS,
    _TIR_ATTRIBUTES | _RELAX_ATTRIBUTES,
    prefixes=("relax.attrs.",),
)
"""Relax functions, and the TIR functions that they call. Operators come from the task."""


def read(path: str | Path, language: Language, *, sized: bool = True) -> tvm.IRModule:
    """Read and validate the module in the file.

    sized: whether to check what it costs to compile and run it. Raises Refused if it is no module,
    is not in the language, or is too large.
    """
    # Serialized again so that TVM reads exactly what was validated, even with duplicate keys.
    module = tvm.ir.load_json(json.dumps(_graph(Path(path), language)))
    if not isinstance(module, tvm.IRModule):
        raise Refused("the file holds no IRModule")
    buffers = _vet(module, language)
    if sized:
        for buffer in buffers:
            _vet_buffer(buffer, language)
        for function in module.functions.values():
            if isinstance(function, tirx.PrimFunc):
                _vet_work(function, language)
    return module


def signature(function: tirx.PrimFunc | tvm.relax.Function) -> list[str]:
    """Return dtype and shape, `float32[4, 8]`, of each parameter and a Relax function's result."""
    if isinstance(function, tirx.PrimFunc):
        return [_of_type(parameter.ty) for parameter in function.params]
    returned = _of_type(function.ret_ty)
    return [*(_of_type(parameter.ty) for parameter in function.params), f"-> {returned}"]


def signature_mismatch(module: tvm.IRModule, wanted: list[str]) -> str | None:
    """Return a message fragment if function "main" is missing or has another signature."""
    entries = {variable.name_hint: f for variable, f in module.functions.items()}
    if "main" not in entries:
        there = ", ".join(sorted(entries)) or "none"
        return f"the module has no function 'main'; it has {there}"
    got = signature(entries["main"])
    if got == wanted:
        return None
    return f"'main' takes {'; '.join(got)} and should take {'; '.join(wanted)}"


# --- what it holds --------------------------------------------------------------------------------


def _graph(path: Path, language: Language) -> dict[str, Any]:
    """Return the file's JSON, with nodes of allowed types only. Raises Refused."""
    if path.stat().st_size > language.most_text:
        raise Refused(f"the file has more than {language.most_text >> 20} MiB")
    try:
        graph = json.loads(path.read_text())
        graph = {key: graph[key] for key in ("root_index", "nodes", "metadata")}
        for node in graph["nodes"]:
            _vet_node(node["type"], node.get("data"), language)
    except (AttributeError, KeyError, RecursionError, TypeError, UnicodeError, JSONDecodeError):
        raise Refused("the file is no module as tvm.ir.save_json writes it") from None
    count = len(graph["nodes"])
    if count > language.most_nodes:
        raise Refused(f"the module has {count} nodes, more than {language.most_nodes}")
    return graph


def _vet_node(kind: str, data: Any, language: Language) -> None:
    if kind not in language.types and not kind.startswith(language.prefixes or ("\0",)):
        raise Refused(f"{_shown(kind)} is not part of what a module may have here")
    if kind == "ir.Op" and data not in language.ops:
        raise Refused(f"the operator {_shown(data)} is not allowed here")
    if kind == "ir.PrimType" and _DTYPE.fullmatch(data["dtype"]) is None:
        raise Refused(f"the type {_shown(data['dtype'])} is not allowed here")


def _vet(module: tvm.IRModule, language: Language) -> list[Any]:
    """Visit each object of the module once; return the types of its buffers. Raises Refused."""
    buffers: list[Any] = []
    functions = {variable.name_hint for variable in module.functions}
    seen: set[int] = set()

    def visit(node: Any) -> Any:
        if node.__chandle__() in seen:
            return tvm_ffi.WalkResult.SKIP
        seen.add(node.__chandle__())
        if isinstance(node, tirx.BufferType):
            buffers.append(node)
        fault = next(_faults(node, functions, language), None)
        return None if fault is None else tvm_ffi.VisitInterrupt(fault)

    fault = tvm_ffi.structural_walk(module, (tvm_ffi.Object, visit), order="pre")
    if fault is not None:
        raise Refused(f"{fault.value} is not allowed here")
    return buffers


def _faults(node: Any, functions: set[str], language: Language) -> Iterator[str]:
    """Yield what of an object itself, not of its parts, is not allowed."""
    if isinstance(node, tvm.ir.Call) and not isinstance(node.op, tvm.ir.Op | tvm.ir.GlobalVar):
        yield f"a call of {_shown(type(node.op).__name__)}"
    if isinstance(node, tirx.BufferType) and node.allocated_addr:
        yield "a buffer at an address of its own"
    if isinstance(node, SBlock) and node.match_buffers:
        yield "a buffer that is matched to a part of another"
    for what, word, allowed in _words_of(node, functions, language):
        if word not in allowed:
            yield f"{what} {_shown(word)}"
    # Generated source repeats names.
    for name in (getattr(node, "name", ""), getattr(node, "name_hint", "")):
        if isinstance(name, str) and _NAME.fullmatch(name) is None:
            yield f"the name {_shown(name)}"


def _words_of(
    node: Any, functions: set[str], language: Language
) -> Iterator[tuple[str, str, Collection[str]]]:
    """Yield the words in an object that mean something to a compiler, and which are allowed."""
    if isinstance(node, tvm.ir.GlobalVar):
        yield "a function of another module,", node.name_hint, functions
    if isinstance(node, tirx.BufferType):
        yield "the storage scope", node.storage_scope, language.scopes
    if isinstance(node, tirx.IterVar):
        yield "the thread axis", node.thread_tag, _THREADS
    attributes = getattr(node, "attrs", None)
    for key in attributes.keys() if isinstance(attributes, tvm.ir.DictAttrs) else ():
        yield "the function attribute", key, language.attributes
    for key in getattr(node, "annotations", None) or ():
        yield "the annotation", key, language.annotations


def _shown(name: Any) -> str:
    return repr(str(name)[:80])


# --- sizes ----------------------------------------------------------------------------------------


def _vet_work(function: tirx.PrimFunc, language: Language) -> None:
    """Raise Refused if a call executes too many statements, or compiling makes too many of them."""
    analyzer, executed = sym.Analyzer(), 0
    for number, (_, loops, axes) in enumerate(statements(function.body)):
        if number > language.most_nodes:
            raise Refused(f"it has more than {number} statements, each counted where it stands")
        for axis, value in axes.items():
            analyzer.bind(axis, value, allow_override=True)
        extents, copies = {}, 1
        for loop in loops:
            extent = _most(analyzer, loop.extent)
            whole = tvm.ir.Range.from_min_extent(loop.min, loop.extent)
            analyzer.bind(loop.loop_var, whole, allow_override=True)
            # Loops over the same threads are one.
            extents[thread_axis(loop) or loop.loop_var] = extent
            if loop.kind in (tirx.ForKind.UNROLLED, tirx.ForKind.VECTORIZED):
                copies *= extent
        executed += prod(extents.values())
        if copies > language.most_unrolled:
            most = language.most_unrolled
            raise Refused(f"unrolled and vectorized loops make {copies} copies, over {most}")
    if executed > language.most_steps:
        raise Refused(f"it executes {executed} statements, more than {language.most_steps}")


def _most(analyzer: sym.Analyzer, extent: Any) -> int:
    """Return an upper bound of a loop's extent. Raises Refused if there is none."""
    bound = int(analyzer.const_int_bound(extent).max_value)
    if bound >= 1 << 31:
        raise Refused("a loop's extent has no bound that is known when it is compiled")
    return max(0, bound)


def _vet_buffer(buffer: Any, language: Language) -> None:
    """Raise Refused if the buffer is too large or its shape is not constant."""
    extents = [int(n) if isinstance(n, tirx.IntImm) else -1 for n in buffer.shape]
    if min(extents, default=0) < 0:
        raise Refused("a buffer's shape is not known when it is compiled")
    bits = tvm.DataType(str(buffer.dtype)).bits
    if prod(extents) * bits > 8 * language.most_bytes:
        raise Refused(f"a buffer has more than {language.most_bytes >> 20} MiB")


def _of_type(ty: Any) -> str:
    """Format a tensor's or a scalar's type."""
    shape = getattr(ty, "shape", None)
    if shape is None:
        return str(getattr(ty, "dtype", ty))
    extents = ", ".join(str(int(n)) if isinstance(n, tirx.IntImm) else str(n) for n in shape)
    return f"{ty.dtype}[{extents}]"
