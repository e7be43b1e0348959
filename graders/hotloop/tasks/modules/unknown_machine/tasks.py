"""The checks of each task of module unknown_machine. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.unknown_machine import blocks, counting, kernels

count = hl.returns_data(
    issue=hl.Answers(counting.issue_questions),
    banks=hl.Answers(counting.bank_questions, entry="busy_cycles"),
)

block = hl.returns_data(same=blocks.same, cycles=blocks.cycles)

pipeline = hl.returns_data(**kernels.checks(kernels.hashes))

overlap = hl.returns_data(**kernels.checks(kernels.rows))

walk = hl.returns_data(**kernels.checks(kernels.walk))

kernel = hl.returns_data(**kernels.checks(kernels.any_kind))
