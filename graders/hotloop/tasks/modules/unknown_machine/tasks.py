"""The checks of each task of module unknown_machine. Points, levels and needs: module.yaml."""

from __future__ import annotations

from hotloop.tasks import authoring as hl
from hotloop.tasks.modules.unknown_machine import blocks, counting, instances, kernels

count = hl.returns_data(
    issue=hl.Answers(counting.issue_questions),
    banks=hl.Answers(counting.bank_questions, entry="busy_cycles"),
)

block = hl.returns_data(same=blocks.same, cycles=blocks.cycles)

pipeline = hl.returns_data(**kernels.checks("pipeline"))

overlap = hl.returns_data(**kernels.checks("overlap"))

walk = hl.returns_data(**kernels.checks("walk", instances.references))

kernel = hl.returns_data(**kernels.checks("kernel", instances.kernel_references))
