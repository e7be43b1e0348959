"""Differences between candidates of a take-home, or between classes: meanings, numbers and names.

`variants.yaml`, next to a module's solution, lists what can differ. The solution's code does not
refer to it: rendering rewrites the finished text, and the module's checks use the variant's
constants.
"""

from hotloop.core.variant import NAME, Variant, beside, digest_of, plain
from hotloop.tasks.variants.draw import draw, of_class, same_answers, same_for_all

__all__ = [
    "NAME",
    "Variant",
    "beside",
    "digest_of",
    "draw",
    "of_class",
    "plain",
    "same_answers",
    "same_for_all",
]
