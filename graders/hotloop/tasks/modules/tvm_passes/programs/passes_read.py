"""Compare what a pass has written with its input; return what is wrong, or None.

This process reads the candidate's files, so its answers are not trusted: they are only message
fragments, shown to the learner. Outputs are computed elsewhere, see graph_runs.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import eliminating
import guards
import pairs
import tvm
import tvm_ffi
import vetting
from tvm import relax, tirx

OPERATORS = ("add", "subtract", "multiply", "maximum", "minimum", "negative", "ewise_fma")

BINARY = (
    *(tirx.Add, tirx.Sub, tirx.Mul, tirx.Div, tirx.Mod, tirx.FloorDiv, tirx.FloorMod),
    *(tirx.Min, tirx.Max, tirx.LT, tirx.LE, tirx.GT, tirx.GE, tirx.EQ, tirx.NE),
)

REVISION = "revision"

LANGUAGES = {
    "relax": replace(
        vetting.RELAX.with_more(
            ops=[f"relax.{name}" for name in OPERATORS],
        ),
        most_nodes=200_000,
    ),
    "tir": replace(
        vetting.TIR.with_more(
            types=["tirx.DeclBuffer", "ir.PointerType"], ops=["tirx.buffer_data"]
        ),
        most_nodes=400_000,
        most_text=48 << 20,
    ),
}


def sound(original: str, result: str, language: str, revision: int = 0) -> str | None:
    """Return None if the module is well-formed, in the language, and has its original functions.

    revision: the value that each function must have as its attribute `revision`; 0 for none.
    """
    try:
        after = _vetted(result, language, revision)
    except vetting.Refused as refusal:
        return str(refusal)
    if other := _other_revision(after, revision):
        return other
    after = _without_revision(after, revision)
    before = _read(original)
    wrong = _ill_formed(after) or _other_functions(before, after)
    if wrong is None and language == "tir":
        wrong = guards.other_kinds(before, after)
    return wrong or _nothing_done(before, after, language)


def complete(original: str, result: str, language: str, revision: int = 0) -> str | None:
    """Return None if the pass did everything that it should and nothing else."""
    before, after = _read(original), _without_revision(_read(result), revision)
    if language == "relax":
        return pairs.mismatch(before, after)
    return guards.mismatch(before, after) or eliminating.mismatch(before, after)


def idempotent(once: str, twice: str, language: str, revision: int = 0) -> str | None:
    """Return None if the pass changes nothing when it runs on its own result."""
    first = _read(once)
    try:
        second = _vetted(twice, language, revision)
    except vetting.Refused as refusal:
        return f"run on its own result, {refusal}"
    if lost := _other_functions(first, second):
        return f"run on its own result, {lost}"
    for variable, function in first.functions_items():
        if not tvm_ffi.structural_equal(function, second[variable.name_hint]):
            return f"in {variable.name_hint!r} the pass changes its own result when it is run again"
    return None


def _read(path: str) -> tvm.IRModule:
    """Read a module that we wrote, or that was validated before."""
    return tvm.ir.load_json(Path(path).read_text())


def _vetted(path: str, language: str, revision: int) -> tvm.IRModule:
    """Read and validate a module, except its sizes: tir_machine.MOST_STEPS bounds a run instead."""
    more = [REVISION] if revision else []
    return vetting.read(path, LANGUAGES[language].with_more(attributes=more), sized=False)


def _other_revision(module: tvm.IRModule, revision: int) -> str | None:
    if not revision:
        return None
    for variable, function in module.functions_items():
        name = variable.name_hint
        if not function.attrs or REVISION not in function.attrs:
            return f"{name!r} has no attribute {REVISION!r}"
        got = str(function.attrs[REVISION])
        if got != str(revision):
            return f"the attribute {REVISION!r} of {name!r} is {got[:40]} and should be {revision}"
    return None


def _without_revision(module: tvm.IRModule, revision: int) -> tvm.IRModule:
    """Return the module without the revision attributes, to compare with the original."""
    if not revision:
        return module
    functions = {v: f.without_attr(REVISION) for v, f in module.functions_items()}
    return tvm.IRModule(functions)


def _ill_formed(module: tvm.IRModule) -> str | None:
    for variable, function in module.functions_items():
        single = tvm.IRModule({variable: function})
        try:
            if isinstance(function, tirx.PrimFunc):
                tirx.analysis.verify_well_formed(function)
                _require_types(function)
            else:
                relax.analysis.well_formed(single)
        except Exception as error:  # noqa: BLE001 - TVM raises errors of several kinds
            message = str(error).splitlines()[0][:200].rstrip(".")
            return f"{variable.name_hint!r} is not well-formed: {message}"
    return None


def _require_types(function: tirx.PrimFunc) -> None:
    """Raise ValueError where operands, stores or loop bounds mix dtypes.

    Complements `verify_well_formed`.
    """

    def binary(node: Any) -> None:
        if node.a.ty.dtype != node.b.ty.dtype:
            raise ValueError(f"{node.a.ty.dtype} meets {node.b.ty.dtype} in {node}")

    def store(node: Any) -> None:
        if node.value.ty.dtype != node.buffer.ty.dtype:
            raise ValueError(f"{node.value.ty.dtype} is stored into {node.buffer.ty.dtype}")

    def loop(node: Any) -> None:
        if not node.loop_var.ty.dtype == node.min.ty.dtype == node.extent.ty.dtype:
            raise ValueError(f"a loop over {node.loop_var} has parts of other dtypes")

    entries = [(BINARY, binary), (tirx.BufferStore, store), (tirx.For, loop)]
    tvm_ffi.structural_walk(function.body, entries)


def _nothing_done(before: tvm.IRModule, after: tvm.IRModule, language: str) -> str | None:
    """Return a message fragment if the pass did nothing, which would keep all outputs equal."""
    has_less_to_do = pairs.has_less_to_do if language == "relax" else guards.has_less_to_do
    for variable, function in before.functions_items():
        now = after[variable.name_hint]
        if not tvm_ffi.structural_equal(function, now) and has_less_to_do(function, now):
            return None
    return "in none of the functions that give it something to do has it done any of that"


def _other_functions(before: tvm.IRModule, after: tvm.IRModule) -> str | None:
    had = {variable.name_hint: function for variable, function in before.functions_items()}
    has = {variable.name_hint: function for variable, function in after.functions_items()}
    if had.keys() != has.keys():
        names = ", ".join(sorted(had.keys() ^ has.keys())[:3])
        return f"functions were added or lost: {names}"
    for name, function in had.items():
        if change := _other_signature(name, function, has[name]):
            return change
    return None


def _other_signature(name: str, before: Any, after: Any) -> str | None:
    if type(before) is not type(after):
        return f"{name!r} is a function of another kind"
    now, then = vetting.signature(after), vetting.signature(before)
    if now != then:
        return f"{name!r} takes and gives {'; '.join(now)}, and was {'; '.join(then)}"
    if not tvm_ffi.structural_equal(before.attrs, after.attrs):
        return f"the attributes of {name!r} are not those that it had"
    return None
