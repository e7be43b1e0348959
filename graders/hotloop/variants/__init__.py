"""What differs from candidate to candidate in a take-home: meanings, numbers and names.

A module's `variants.yaml` says what can differ. Nothing in `solutions/` knows of it: rendering
rewrites the finished text, and the module's checks take the variant's values.
"""

from hotloop.variants.draw import draw, same_answers, same_for_all
from hotloop.variants.variant import VARIANT_FILE, Variant, plain

__all__ = ["VARIANT_FILE", "Variant", "draw", "plain", "same_answers", "same_for_all"]
