"""The checks of each task of module ssa_passes. Points, levels and needs: module.yaml."""

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
from hotloop.checks.ssa_passes.generation import as_blocks, as_python
from hotloop.checks.ssa_passes.passes import Subject
from hotloop.judge.rung import following
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.answers_from import AnswersFrom
from hotloop.judge.task import returns_data

_blocks = Subject(as_python, verifier.untyped)
lowering = returns_data(
    sound=partial(passes.sound, subject=_blocks), same=partial(passes.same, subject=_blocks)
)

dominance = returns_data(
    tree=Answers(structure.trees),
    frontiers=AnswersFrom("frontiers_from_text", structure.frontiers, ("tree",)),
)

_ssa = Subject(as_blocks, structure.in_ssa)
to_ssa = returns_data(
    sound=partial(passes.sound, subject=_ssa),
    same=partial(passes.same, subject=_ssa),
    few=partial(
        passes.few,
        subject=_ssa,
        op="phi",
        limit=structure.count_needed_phis,
        plural="phis",
        limit_word="needed",
    ),
)

verify = returns_data(quiet=Answers(structure.unbroken), faults=Answers(structure.broken))

# --- passes on SSA form ---------------------------------------------------------------------------

dead_code = returns_data(**passes.rungs(finished.dead))
fold = returns_data(**passes.rungs(finished.folded))
common = returns_data(**passes.rungs(finished.common))
simplify = returns_data(**passes.rungs(finished.simplified))
hoist = returns_data(**passes.rungs(finished.hoisted))

_without_phis = Subject(left.as_phis, left.without_phis)
leave_ssa = returns_data(
    sound=partial(passes.sound, subject=_without_phis),
    same=partial(passes.same, subject=_without_phis),
    few=partial(
        passes.few,
        subject=_without_phis,
        op="copy",
        limit=left.enough,
        plural="copies",
        limit_word="enough",
    ),
)

# --- tensor graphs --------------------------------------------------------------------------------

plan_memory = returns_data(
    apart=memory.placed,
    reuse=following("apart", partial(memory.placed, most=memory.ALLOWED)),
    order=AnswersFrom("best_order", memory.orders),
)

fuse = returns_data(
    legal=fusion.fused,
    merged=following("legal", partial(fusion.fused, thorough=True)),
    fewest=AnswersFrom("best", fusion.least_moved),
)

torch_fx = returns_data(
    **cleaning.rungs(tensor_graphs.LANGUAGE, tensor_graphs.different, tensor_graphs.unfinished)
)
xdsl = returns_data(**cleaning.rungs(regions.LANGUAGE, regions.different, regions.unfinished))
mlir = returns_data(**cleaning.rungs(regions.LANGUAGE, regions.different, regions.unfinished))

infer = returns_data(
    types=Answers(shapes.sound_programs), reasons=Answers(shapes.faulty_programs, ("types",))
)

# --- PaddlePaddle ---------------------------------------------------------------------------------

_cleaned = cleaning.rungs(paddle_pir.CLEANED, regions.different, regions.unfinished)
pir = returns_data(
    static=partial(cleaning.cleaned, language=paddle_pir.CAPTURED, look=regions.different),
    sound=following("static", _cleaned["sound"]),
    same=_cleaned["same"],
    complete=_cleaned["complete"],
)

classifier = returns_data(
    folded=Answers(networks.to_fold),
    int8=AnswersFrom("quantised_from", networks.to_quantise),
    smaller=networks.smaller,
)
