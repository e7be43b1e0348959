"""Reads a candidate's TVM module from JSON text, and refuses all that leaves the language.

TVM's JSON is a graph of typed nodes. The text is looked at as such a graph before TVM sees it:
each node's type, each operator that is called, each attribute and each annotation must be on a
list of those that are allowed. What is not listed is refused, so that calls of outside functions
(call_extern, packed functions, LLVM or PTX intrinsics, closures), C or LLVM sources in pragmas,
aliases of buffers and `while` are refused without being named. Then sizes are looked at, so that
compiling and running end.

What this does not do: it does not load the JSON safely. Fields of the wrong kind can crash TVM's
reader, and an index can lie outside of its buffer, also in a module that is accepted. Both happen
only in a worker in a sandbox that holds nothing but the candidate's file, programs of ours, and
the judge's tensors for one case, whose outputs are poisoned and whose inputs are compared after
the run. So read and run what a candidate has made only in a `given` program, and never take a
number from the process that has run it.
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
    """The words of `text`, each behind `prefix`."""
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
"""Each task adds those that its networks have."""

_RELAX_ATTRIBUTES = frozenset(["global_symbol", "num_input", "relax.force_pure", "Primitive"])

_NAME = re.compile(r"[\w.:/-]{0,120}")
"""Names end up in generated source: they hold nothing that a name does not."""

_DTYPE = re.compile(r"(bool|u?int(8|16|32|64)|float(16|32|64)|bfloat16)(x\d{1,2})?|void|")

_THREADS = frozenset(
    ["", "vthread", "vthread.x", "vthread.y", "vthread.z"]
    + [f"{what}.{axis}" for what in ("blockIdx", "threadIdx") for axis in "xyz"]
)


class Refused(ValueError):
    """The module is not of the language, or too large. The message is a sentence's beginning."""


@dataclass(frozen=True)
class Language:
    """What a candidate's module may be made of. `with_more` widens it for a task.

    types: of nodes. prefixes: of further types' names. ops: that may be called. attributes: of
        functions. annotations: of loops, blocks and allocations. scopes: where buffers live.
    most_nodes: of the graph. most_steps: statements that a call executes, guards taken as true.
    most_unrolled: copies of a statement that unrolling and vectorizing make.
    most_bytes: of one buffer; a third of what a worker may use fits twice.
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
        """The same, and these."""
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
    """The module in the file. Refused when it is none, leaves the language, or is too large."""
    graph = vetted_graph(path, language)
    # Written out again: TVM sees just what was looked at, also where a key is there twice.
    module = tvm.ir.load_json(json.dumps(graph))
    if not isinstance(module, tvm.IRModule):
        raise Refused("the file holds no IRModule")
    for _, function in _functions(module):
        _vet_sizes(function, language)
    return module


def mismatch(path: str | Path, language: Language) -> str | None:
    """Why the file is refused; None when it is not."""
    try:
        read(path, language)
    except Refused as refusal:
        return str(refusal)
    return None


def signature(function: tirx.PrimFunc | tvm.relax.Function) -> list[str]:
    """Dtype and shape of each parameter, and of what a Relax function returns: `float32[4, 8]`."""
    if isinstance(function, tirx.PrimFunc):
        return [_of_type(parameter.ty) for parameter in function.params]
    returned = _of_type(function.ret_ty)
    return [*(_of_type(parameter.ty) for parameter in function.params), f"-> {returned}"]


def signature_mismatch(module: tvm.IRModule, wanted: list[str], name: str = "main") -> str | None:
    """A sentence's beginning when the module's only entry is not as was asked."""
    entries = {variable.name_hint: function for variable, function in _functions(module)}
    if name not in entries:
        there = ", ".join(sorted(entries)) or "none"
        return f"the module has no function {name!r}; it has {there}"
    got = signature(entries[name])
    if got == wanted:
        return None
    return f"{name!r} takes {'; '.join(got)} and should take {'; '.join(wanted)}"


def steps(function: tirx.PrimFunc) -> int:
    """Statements that a call executes, with every guard taken as true."""
    return _Work().of(function.body)


# --- the graph ------------------------------------------------------------------------------------


def vetted_graph(path: str | Path, language: Language) -> Node:
    """The file's JSON graph, all of it in the language. Sizes of its tensors are not looked at."""
    graph = _graph(Path(path), language)
    _vet_graph(graph, language)
    return graph


def _graph(path: Path, language: Language) -> Node:
    """The parsed text, with nodes that are dicts with a type."""
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
    """Names of the functions that the modules in the graph define."""
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
    """What names something that lies elsewhere: operators, functions, attributes."""
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
    """What several kinds of nodes have."""
    if "annotations" in data:
        for key in _keys(nodes, data["annotations"]):
            _allow(key, language.annotations, "the annotation")
    if data.get("match_buffers"):
        _refuse_any(nodes[data["match_buffers"]], "a buffer that is matched to a part of another")
    for name in ("name", "name_hint"):
        if name in data and language.names.fullmatch(_text(nodes, data[name])) is None:
            raise Refused(f"{_shown(_text(nodes, data[name]))} is no name")


def _vet_callee(op: Node) -> None:
    """An operator, or a function of the module; both are looked at as nodes by themselves."""
    if op["type"] not in {"ir.Op", "ir.GlobalVar"}:
        raise Refused(f"a call of {_shown(op['type'])} is not allowed here")


def _refuse_any(array: Node, what: str) -> None:
    if array.get("data"):
        raise Refused(f"{what} is not allowed here")


def _keys(nodes: list[Node], index: int) -> Iterator[str]:
    """Keys of the mapping that is node `index`."""
    mapping = nodes[index]
    if mapping["type"] == "None":
        return
    for key in mapping.get("data", [])[::2]:
        yield _text(nodes, key)


def _text(nodes: list[Node], index: int) -> str:
    """The text that is node `index`."""
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
    """Counts what a function executes; with a language, also refuses what is too large in it."""

    def __init__(self, language: Language | None = None) -> None:
        self.language = language
        self.analyzer = sym.Analyzer()
        self.threads: set[str] = set()

    def of(self, statement: Any, copies: int = 1) -> int:
        """Statements executed. copies: that unrolling and vectorizing make of this one."""
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
        """A loop over threads inside of one over the same threads adds none."""
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
        """An upper bound of a loop's extent."""
        bound = int(self.analyzer.const_int_bound(extent).max_value)
        if bound >= 1 << 31:
            raise Refused("a loop's extent has no bound that is known when it is compiled")
        return max(0, bound)

    def vet_buffer(self, buffer: Any) -> None:
        """Refused when it takes too much memory, or nobody knows how much."""
        if self.language is None:
            return
        extents = [int(n) if isinstance(n, tirx.IntImm) else -1 for n in buffer.shape]
        if min(extents, default=0) < 0:
            raise Refused("a buffer's shape is not known when it is compiled")
        bits = tvm.DataType(str(buffer.dtype)).bits
        if prod(extents) * bits > 8 * self.language.most_bytes:
            raise Refused(f"a buffer has more than {self.language.most_bytes >> 20} MiB")


def _of_type(ty: Any) -> str:
    """A tensor's or a scalar's type in short."""
    shape = getattr(ty, "shape", None)
    if shape is None:
        return str(getattr(ty, "dtype", ty))
    extents = ", ".join(str(int(n)) if isinstance(n, tirx.IntImm) else str(n) for n in shape)
    return f"{ty.dtype}[{extents}]"
