"""Checks of the tasks of module ssa_passes."""

from __future__ import annotations

from functools import partial

from hotloop.checks.ssa_passes import (
    cleaning,
    finished,
    fusion,
    left,
    memory,
    networks,
    paddle_pir,
    passes,
    regions,
    shapes,
    structure,
    tensor_graphs,
    verifier,
)
from hotloop.checks.ssa_passes.drawing import as_blocks, as_python
from hotloop.checks.ssa_passes.passes import Subject
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.variants.variant import Variant


def lowering(variant: Variant | None = None) -> Check:
    """Lowering a Python function to basic blocks."""
    subject = Subject(as_python, verifier.untyped, suffix=_suffix(variant))
    rungs = {
        "sound": partial(passes.sound, subject=subject),
        "same": partial(passes.same, subject=subject),
    }
    return Check(Candidate("lower", "lowering.py", "json"), rungs)


def dominance(variant: Variant | None = None) -> Check:
    """Dominator tree and dominance frontiers."""
    trees = partial(structure.trees, root=_number(variant, "ROOT"))
    candidate = Candidate("immediate_from_text", "dominance.py", "json")
    entry = "frontiers_from_text"
    rungs = {
        "tree": Answers(trees),
        "frontiers": AnswersFrom(entry, structure.frontiers, ("tree",)),
    }
    return Check(candidate, rungs)


def to_ssa(variant: Variant | None = None) -> Check:
    """SSA construction with pruned phis."""
    subject = Subject(as_blocks, structure.in_ssa, suffix=_suffix(variant))
    rungs = {
        "sound": partial(passes.sound, subject=subject),
        "same": partial(passes.same, subject=subject),
        "few": partial(
            passes.few,
            subject=subject,
            op="phi",
            limit=lambda program: len(structure.needed_phis(program)),
            plural="phis",
            limit_word="needed",
        ),
    }
    return Check(Candidate("to_ssa", "to_ssa.py", "json"), rungs)


def verify(variant: Variant | None = None) -> Check:
    """Faults of broken programs, and none of sound ones."""
    candidate = Candidate("verify", "verify.py", "json")
    rules = _number(variant, "RULES")
    rungs = {
        "quiet": Answers(partial(structure.unbroken, rules=rules)),
        "faults": Answers(partial(structure.broken, rules=rules)),
    }
    return Check(candidate, rungs)


def dead_code(variant: Variant | None = None) -> Check:
    """Dead-code elimination."""
    return passes.check("dead_code", "dead_code.py", finished.dead, _suffix(variant))


def fold(variant: Variant | None = None) -> Check:
    """Constant folding."""
    return passes.check("fold", "fold.py", finished.folded, _suffix(variant))


def common(variant: Variant | None = None) -> Check:
    """Common-subexpression elimination."""
    return passes.check("common", "common.py", finished.common, _suffix(variant))


def simplify(variant: Variant | None = None) -> Check:
    """Algebraic simplification."""
    return passes.check("simplify", "simplify.py", finished.simplified, _suffix(variant))


def hoist(variant: Variant | None = None) -> Check:
    """Loop-invariant code motion."""
    return passes.check("hoist", "hoist.py", finished.hoisted, _suffix(variant))


def leave_ssa(variant: Variant | None = None) -> Check:
    """SSA destruction: copies in place of phis."""
    subject = Subject(left.as_phis, left.without_phis, suffix=_suffix(variant))
    rungs = {
        "sound": partial(passes.sound, subject=subject),
        "same": partial(passes.same, subject=subject),
        "few": partial(
            passes.few,
            subject=subject,
            op="copy",
            limit=left.enough,
            plural="copies",
            limit_word="enough",
        ),
    }
    return Check(Candidate("leave", "leave.py", "json"), rungs)


def plan_memory(variant: Variant | None = None) -> Check:
    """Memory planning: offsets of tensors, and the order of steps with the smallest peak."""
    candidate = Candidate("plan", "memory_plan.py", "json")
    begin = _number(variant, "MEMORY_BEGINS") or 0
    rungs = {
        "apart": partial(memory.placed, begin=begin),
        "reuse": following("apart", partial(memory.placed, most=memory.ALLOWED, begin=begin)),
        "order": AnswersFrom("best_order", memory.orders),
    }
    return Check(candidate, rungs)


def fuse(variant: Variant | None = None) -> Check:
    """Operator fusion."""
    first = _number(variant, "FIRST_KERNEL")
    rungs = {
        "legal": partial(fusion.fused, first=first),
        "merged": following("legal", partial(fusion.fused, thorough=True, first=first)),
        "fewest": AnswersFrom("best", partial(fusion.least_moved, first=first)),
    }
    return Check(Candidate("fuse", "fuse.py", "json"), rungs)


def torch_fx(variant: Variant | None = None) -> Check:
    """CSE and dead-code elimination on torch.fx graphs with in-place operations."""
    candidate = Candidate("clean_text", "fx_pass.py", "json")
    language = tensor_graphs.language(_number(variant, "CLEANED"))
    rungs = cleaning.rungs(language, tensor_graphs.different, tensor_graphs.unfinished)
    return Check(candidate, rungs)


def xdsl(variant: Variant | None = None) -> Check:
    """CSE and dead-code elimination in xDSL, with regions."""
    return regions.check("xdsl_pass.py", "xdsl", _number(variant, "CLEANED"))


def mlir(variant: Variant | None = None) -> Check:
    """The same through MLIR's Python bindings."""
    return regions.check("mlir_pass.py", "xla", _number(variant, "CLEANED"))


def infer(variant: Variant | None = None) -> Check:
    """Type and shape inference, or the reason for an error."""
    candidate = Candidate("infer", "shapes.py", "json")
    rules = _number(variant, "RULES")
    rungs = {
        "types": Answers(partial(shapes.programs, faulty=False, rules=rules)),
        "reasons": Answers(partial(shapes.programs, faulty=True, rules=rules), ("types",)),
    }
    return Check(candidate, rungs)


def pir() -> Check:
    """From Python to PaddlePaddle's PIR; CSE and dead-code elimination there."""
    return paddle_pir.check()


def classifier() -> Check:
    """Batch-norm folding, int8 quantization and channel pruning of a PaddlePaddle classifier."""
    rungs = {
        "folded": Answers(networks.to_fold),
        "int8": AnswersFrom("quantised_from", networks.to_quantise),
        "smaller": networks.smaller,
    }
    candidate = Candidate("folded_from", "small_classifier.py", "json")
    return Check(candidate, rungs, extras=("paddle",))


def _suffix(variant: Variant | None) -> str:
    """What a variant's functions end in; nothing without one."""
    number = _number(variant, "SUFFIX")
    return "" if number is None else f"_{number}"


def _number(variant: Variant | None, constant: str) -> int | None:
    """What a variant has drawn; None in the module as it is, where nothing of the kind is asked."""
    if variant is None or not variant.constants:
        return None
    return int(str(variant.constants[constant]))
