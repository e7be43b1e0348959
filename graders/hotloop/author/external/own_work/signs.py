"""What in a submission's text speaks against work of its own. Nothing is run for it."""

from __future__ import annotations

from hotloop.author.external.own_work import inputs, library, surroundings
from hotloop.author.external.own_work.kernels import Kernels
from hotloop.author.external.own_work.sign import Rules, Sign
from hotloop.author.external.own_work.source import Source


def signs(source: Source, kernels: Kernels, rules: Rules) -> list[Sign]:
    """Return what speaks against the text, the strongest first."""
    return [
        *library.uses_forbidden(source, rules.forbidden),
        *library.has_no_kernel(source, kernels),
        *surroundings.watches_its_caller(source),
        *surroundings.reaches_the_grader(source),
        *surroundings.replaces_functions(source),
        *inputs.keeps_answers(source),
        *inputs.goes_by_values(source),
        *library.multiplies(source, kernels),
        *surroundings.sets_switches(source, kernels, rules),
        *surroundings.is_copied(source, rules.forbidden),
    ]
