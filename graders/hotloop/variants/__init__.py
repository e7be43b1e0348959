"""What differs from candidate to candidate in a take-home: meanings, numbers and names.

`variants.yaml`, beside a module's solution, says what can differ. The solution itself knows nothing
of it: rendering rewrites the finished text, and the module's checks take the variant's constants.
"""

from hotloop.variants.draw import draw, same_answers, same_for_all
from hotloop.variants.variant import Variant, plain

__all__ = ["Variant", "draw", "plain", "same_answers", "same_for_all"]
