"""The checks of each task of module ssa_passes. Points, levels and needs: module.yaml."""

from __future__ import annotations

from functools import partial

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.ssa_passes import (
    cleaning,
    fixed_point,
    fusion,
    memory,
    networks,
    out_of_ssa,
    paddle_pir,
    passes,
    postconditions,
    published,
    regions,
    shapes,
    structure,
    tensor_graphs,
    verifier,
)
from hotloop.tasks.modules.ssa_passes.generation import as_blocks, as_python

lowering = hl.returns_data(**passes.preserving(passes.language(as_python, verifier.untyped)))

dominance = hl.returns_data(
    tree=hl.Answers(structure.trees),
    frontiers=hl.Answers(structure.frontiers, entry="frontiers_from_text", after=("tree",)),
)

_ssa = passes.language(as_blocks, structure.in_ssa)
to_ssa = hl.returns_data(
    **passes.preserving(_ssa),
    few=passes.few(_ssa, "phi", structure.count_needed_phis, plural="phis", limit_word="needed"),
)

verify = hl.returns_data(quiet=hl.Answers(structure.unbroken), faults=hl.Answers(structure.broken))

# --- passes on SSA form ---------------------------------------------------------------------------

dead_code = hl.returns_data(**passes.checks(postconditions.dead))
fold = hl.returns_data(**passes.checks(postconditions.folded))
common = hl.returns_data(**passes.checks(postconditions.common))
simplify = hl.returns_data(**passes.checks(postconditions.simplified))
hoist = hl.returns_data(**passes.checks(postconditions.hoisted))

_without_phis = passes.language(out_of_ssa.as_phis, out_of_ssa.without_phis)
leave_ssa = hl.returns_data(
    **passes.preserving(_without_phis),
    few=passes.few(_without_phis, "copy", out_of_ssa.enough, plural="copies", limit_word="enough"),
)

# --- tensor graphs --------------------------------------------------------------------------------

plan_memory = hl.returns_data(
    apart=memory.placed,
    reuse=hl.following("apart", partial(memory.placed, most=memory.ALLOWED)),
    order=hl.Answers(memory.orders, entry="best_order"),
)

fuse = hl.returns_data(
    legal=fusion.fused,
    merged=hl.following("legal", partial(fusion.fused, thorough=True)),
    fewest=hl.Answers(fusion.least_moved, entry="best"),
)

torch_fx = hl.returns_data(
    **cleaning.checks(tensor_graphs.LANGUAGE, tensor_graphs.different, tensor_graphs.unfinished)
)
xdsl = hl.returns_data(**cleaning.checks(regions.LANGUAGE, regions.different, regions.unfinished))
mlir = hl.returns_data(**cleaning.checks(regions.LANGUAGE, regions.different, regions.unfinished))


def _rewritten(
    language: cleaning.Language[fixed_point.FixProgram, fixed_point.FixProgram],
    compare: cleaning.Comparison[fixed_point.FixProgram, fixed_point.FixProgram],
) -> hl.CheckFunction:
    return partial(cleaning.cleaned, language=language, compare=compare)


dialect = hl.returns_data(
    verifier=hl.Answers(fixed_point.verified),
    patterns=_rewritten(fixed_point.SIMPLIFIED, fixed_point.simplified),
    lowering=_rewritten(fixed_point.LOWERING, fixed_point.lowered),
)

infer = hl.returns_data(
    types=hl.Answers(partial(shapes.questions, faulty=False)),
    reasons=hl.Answers(partial(shapes.questions, faulty=True), after=("types",)),
)

# --- PaddlePaddle ---------------------------------------------------------------------------------

_cleaned = cleaning.checks(paddle_pir.CLEANED, regions.different, regions.unfinished)
pir = hl.returns_data(
    static=partial(cleaning.cleaned, language=paddle_pir.CAPTURED, compare=regions.different),
    sound=hl.following("static", _cleaned["sound"]),
    same=_cleaned["same"],
    complete=_cleaned["complete"],
)

classifier = hl.returns_data(
    folded=hl.Answers(networks.to_fold),
    int8=hl.Answers(networks.to_quantize, entry="quantized_from"),
    smaller=networks.smaller,
)

mobilenet = hl.returns_data(
    same=published.same,
    fast=published.fast(),
    int8=published.int8,
    sparse=published.sparse,
)
