"""Read a candidate's TVM module from JSON, and refuse everything that is not allowed.

TVM's JSON is a graph of typed nodes. The graph is validated before TVM reads it: each node's type,
each called operator, each attribute and each annotation must be on an allow list. Everything else
is refused, so calls of external functions (call_extern, packed functions, LLVM or PTX intrinsics,
closures), C or LLVM sources in pragmas, aliases of buffers and `while` need no rules of their own.
Then sizes are checked, so that compiling and running end.

This does not make loading the JSON safe. Fields of the wrong type can crash TVM's reader, and an
index can be out of bounds even in an accepted module. Both happen only in a sandboxed worker that
holds nothing but the candidate's file, our programs, and the judge's tensors for one case, whose
outputs are poisoned and whose inputs are compared after the run. So read and run a candidate's
module only in a `given` program, and never trust a number from the process that has run it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any

import tvm
from tvm import sym, tirx
from tvm.s_tir import SBlock, SBlockRealize

Node = dict[str, Any]


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
    most_bytes: of one buffer. most_text: bytes of the file. names: pattern of names.
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
    names: re.Pattern[str] = field(default=_NAME)

    def with_more(
        self,
        *,
        types: Iterable[str] = (),
        ops: Iterable[str] = (),
        attributes: Iterable[str] = (),
        annotations: Iterable[str] = (),
    ) -> Language:
        """Return a copy that also allows these."""
        return replace(
            self,
            types=self.types | set(types),
            ops=self.ops | set(ops),
            attributes=self.attributes | set(attributes),
            annotations=self.annotations | set(annotations),
        )


TIR = Language(_COMMON_TYPES | _ARITHMETIC | _TIR_TYPES, _TIR_OPS, _TIR_ATTRIBUTES)
"""Functions of loops, blocks, loads and stores, before or after scheduling."""

RELAX = Language(
    _COMMON_TYPES | _ARITHMETIC | _TIR_TYPES | _RELAX_TYPES,
    _TIR_OPS | _RELAX_OPS,
    _TIR_ATTRIBUTES | _RELAX_ATTRIBUTES,
    prefixes=("relax.attrs.",),
)
"""Relax functions, and the TIR functions that they call. Operators come from the task."""


def read(path: str | Path, language: Language) -> tvm.IRModule:
    """Read and validate the module in the file, including its sizes.

    Raises Refused if it is no module, is not in the language, or is too large.
    """
    graph = vetted_graph(path, language)
    # Serialized again so that TVM reads exactly what was validated, even with duplicate keys.
    module = tvm.ir.load_json(json.dumps(graph))
    if not isinstance(module, tvm.IRModule):
        raise Refused("the file holds no IRModule")
    for _, function in _functions(module):
        _vet_sizes(function, language)
    return module


def mismatch(path: str | Path, language: Language) -> str | None:
    """Return why the file is refused, or None."""
    try:
        read(path, language)
    except Refused as refusal:
        return str(refusal)
    return None


def signature(function: tirx.PrimFunc | tvm.relax.Function) -> list[str]:
    """Return dtype and shape, `float32[4, 8]`, of each parameter and a Relax function's result."""
    if isinstance(function, tirx.PrimFunc):
        return [_of_type(parameter.ty) for parameter in function.params]
    returned = _of_type(function.ret_ty)
    return [*(_of_type(parameter.ty) for parameter in function.params), f"-> {returned}"]


def signature_mismatch(module: tvm.IRModule, wanted: list[str], name: str = "main") -> str | None:
    """Return a message fragment if function `name` is missing or has another signature."""
    entries = {variable.name_hint: function for variable, function in _functions(module)}
    if name not in entries:
        there = ", ".join(sorted(entries)) or "none"
        return f"the module has no function {name!r}; it has {there}"
    got = signature(entries[name])
    if got == wanted:
        return None
    return f"{name!r} takes {'; '.join(got)} and should take {'; '.join(wanted)}"


def steps(function: tirx.PrimFunc) -> int:
    """Return how many statements a call executes, with every guard taken as true."""
    return _Work().of(function.body)


# --- the graph ------------------------------------------------------------------------------------


def vetted_graph(path: str | Path, language: Language) -> Node:
    """Return the file's validated JSON graph.

    Sizes of its tensors are not checked. Raises Refused.
    """
    graph = _graph(Path(path), language)
    _vet_graph(graph, language)
    return graph


def _graph(path: Path, language: Language) -> Node:
    """Parse the file; every node is a dict with a type. Raises Refused."""
    if path.stat().st_size > language.most_text:
        raise Refused(f"the file has more than {language.most_text >> 20} MiB")
    try:
        graph = json.loads(path.read_text())
        graph = {key: graph[key] for key in ("root_index", "nodes", "metadata")}
        nodes = graph["nodes"]
        well_formed = all(isinstance(node["type"], str) for node in nodes)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Refused("the file is no module as tvm.ir.save_json writes it") from None
    if not well_formed or not isinstance(nodes, list):
        raise Refused("the file is no module as tvm.ir.save_json writes it")
    if len(nodes) > language.most_nodes:
        raise Refused(f"the module has {len(nodes)} nodes, more than {language.most_nodes}")
    return graph


def _vet_graph(graph: Node, language: Language) -> None:
    nodes: list[Node] = graph["nodes"]
    try:
        here = _defined(nodes)
        for node in nodes:
            _vet_node(node, nodes, here, language)
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Refused("the file is no module as tvm.ir.save_json writes it") from None


def _defined(nodes: list[Node]) -> set[str]:
    """Return the names of the functions that the only module defines.

    Raises Refused if not just one.
    """
    modules = [node["data"] for node in nodes if node["type"] == "ir.IRModule"]
    if len(modules) != 1:
        raise Refused(f"the file holds {len(modules)} modules and should hold one")
    functions = nodes[modules[0]["functions"]]["data"]
    return {_text(nodes, nodes[key]["data"]["name_hint"]) for key in functions[::2]}


def _vet_node(node: Node, nodes: list[Node], here: set[str], language: Language) -> None:
    kind, data = node["type"], node.get("data")
    if kind not in language.types and not kind.startswith(language.prefixes or ("\0",)):
        raise Refused(f"{_shown(kind)} is not part of what a module may have here")
    _vet_reference(kind, data, nodes, here, language)
    if kind == "ir.PrimType" and _DTYPE.fullmatch(data["dtype"]) is None:
        raise Refused(f"the type {_shown(data['dtype'])} is not allowed here")
    if kind == "tirx.BufferType":
        _allow(_text(nodes, data["storage_scope"]), language.scopes, "the storage scope")
        _refuse_any(nodes[data["allocated_addr"]], "a buffer at an address of its own")
    if kind == "tirx.IterVar":
        _allow(_text(nodes, data["thread_tag"]), _THREADS, "the thread axis")
    if isinstance(data, dict):
        _vet_fields(data, nodes, language)


def _vet_reference(
    kind: str, data: Any, nodes: list[Node], here: set[str], language: Language
) -> None:
    """Check what refers to other things: operators, functions, attributes."""
    if kind == "ir.Op":
        _allow(data, language.ops, "the operator")
    if kind == "ir.Call":
        _vet_callee(nodes[data["op"]])
    if kind == "ir.GlobalVar":
        _allow(_text(nodes, data["name_hint"]), here, "a function of another module,")
    if kind == "ir.DictAttrs":
        for key in _keys(nodes, data["__dict__"]):
            _allow(key, language.attributes, "the function attribute")


def _vet_fields(data: Node, nodes: list[Node], language: Language) -> None:
    """Check the fields that several node types have."""
    if "annotations" in data:
        for key in _keys(nodes, data["annotations"]):
            _allow(key, language.annotations, "the annotation")
    if data.get("match_buffers"):
        _refuse_any(nodes[data["match_buffers"]], "a buffer that is matched to a part of another")
    for name in ("name", "name_hint"):
        if name in data and language.names.fullmatch(_text(nodes, data[name])) is None:
            raise Refused(f"{_shown(_text(nodes, data[name]))} is no name")


def _vet_callee(op: Node) -> None:
    """Allow only operators and functions of the module; both are also checked as nodes."""
    if op["type"] not in {"ir.Op", "ir.GlobalVar"}:
        raise Refused(f"a call of {_shown(op['type'])} is not allowed here")


def _refuse_any(array: Node, what: str) -> None:
    if array.get("data"):
        raise Refused(f"{what} is not allowed here")


def _keys(nodes: list[Node], index: int) -> Iterator[str]:
    """Yield the keys of the mapping that is node `index`."""
    mapping = nodes[index]
    if mapping["type"] == "None":
        return
    for key in mapping.get("data", [])[::2]:
        yield _text(nodes, key)


def _text(nodes: list[Node], index: int) -> str:
    """Return the text of node `index`. Raises TypeError for other nodes."""
    if nodes[index]["type"] != "ffi.String":
        raise TypeError("no text")
    return str(nodes[index]["data"])


def _allow(name: Any, allowed: Iterable[str], what: str) -> None:
    if name not in allowed:
        raise Refused(f"{what} {_shown(name)} is not allowed here")


def _shown(name: Any) -> str:
    return repr(str(name)[:80])


# --- sizes ----------------------------------------------------------------------------------------


def _functions(module: tvm.IRModule) -> list[tuple[Any, Any]]:
    return list(module.functions.items())


def _vet_sizes(function: Any, language: Language) -> None:
    if not isinstance(function, tirx.PrimFunc):
        return
    work = _Work(language)
    for parameter in function.params:
        if isinstance(parameter.ty, tirx.BufferType):
            work.vet_buffer(parameter.ty)
    count = work.of(function.body)
    if count > language.most_steps:
        raise Refused(f"it executes {count} statements, more than {language.most_steps}")


class _Work:
    """Counts the statements that a function executes; with a language, also checks sizes."""

    def __init__(self, language: Language | None = None) -> None:
        self.language = language
        self.analyzer = sym.Analyzer()
        self.threads: set[str] = set()

    def of(self, statement: Any, copies: int = 1) -> int:
        """Return the executed statements.

        copies: of this one that unrolling and vectorizing make.
        """
        if isinstance(statement, tirx.For):
            return self._of_loop(statement, copies)
        if isinstance(statement, tirx.SeqStmt):
            return sum(self.of(part, copies) for part in statement.seq)
        if isinstance(statement, tirx.IfThenElse):
            parts = (statement.then_case, statement.else_case)
            return 1 + sum(self.of(part, copies) for part in parts if part is not None)
        if isinstance(statement, SBlockRealize):
            return self._of_block(statement.block, copies)
        if isinstance(statement, tirx.AllocBuffer):
            self.vet_buffer(statement.buffer.ty)
        body = getattr(statement, "body", None)
        return 1 + (self.of(body, copies) if body is not None else 0)

    def _of_loop(self, loop: Any, copies: int) -> int:
        extent = self._most(loop.extent)
        self.analyzer.bind(loop.loop_var, tvm.ir.Range.from_min_extent(loop.min, loop.extent))
        if loop.kind in (tirx.ForKind.UNROLLED, tirx.ForKind.VECTORIZED):
            copies *= extent
            if self.language is not None and copies > self.language.most_unrolled:
                most = self.language.most_unrolled
                raise Refused(f"unrolled and vectorized loops make {copies} copies, over {most}")
        return self._times(extent, loop, copies)

    def _times(self, extent: int, loop: Any, copies: int) -> int:
        """Multiply by the extent, except for a thread loop within one over the same threads."""
        binding = loop.thread_binding
        tag = str(binding.thread_tag) if binding is not None else ""
        if tag in self.threads:
            return self.of(loop.body, copies)
        entered = {tag} - {""}
        self.threads |= entered
        count = extent * self.of(loop.body, copies)
        self.threads -= entered
        return count

    def _of_block(self, block: SBlock, copies: int) -> int:
        for buffer in block.alloc_buffers:
            self.vet_buffer(buffer.ty)
        for variable in block.iter_vars:
            self.analyzer.bind(variable.var, variable.dom)
        starting = self.of(block.init, copies) if block.init is not None else 0
        return starting + self.of(block.body, copies)

    def _most(self, extent: Any) -> int:
        """Return an upper bound of a loop's extent. Raises Refused if there is none."""
        bound = int(self.analyzer.const_int_bound(extent).max_value)
        if bound >= 1 << 31:
            raise Refused("a loop's extent has no bound that is known when it is compiled")
        return max(0, bound)

    def vet_buffer(self, buffer: Any) -> None:
        """Raise Refused if the buffer is too large or its shape is not constant."""
        if self.language is None:
            return
        extents = [int(n) if isinstance(n, tirx.IntImm) else -1 for n in buffer.shape]
        if min(extents, default=0) < 0:
            raise Refused("a buffer's shape is not known when it is compiled")
        bits = tvm.DataType(str(buffer.dtype)).bits
        if prod(extents) * bits > 8 * self.language.most_bytes:
            raise Refused(f"a buffer has more than {self.language.most_bytes >> 20} MiB")


def _of_type(ty: Any) -> str:
    """Format a tensor's or a scalar's type."""
    shape = getattr(ty, "shape", None)
    if shape is None:
        return str(getattr(ty, "dtype", ty))
    extents = ", ".join(str(int(n)) if isinstance(n, tirx.IntImm) else str(n) for n in shape)
    return f"{ty.dtype}[{extents}]"
