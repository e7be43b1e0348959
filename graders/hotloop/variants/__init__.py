"""What differs from candidate to candidate in a take-home, or from class to class: meanings,
numbers and names.

`variants.yaml`, beside a module's solution, says what can differ. The solution itself knows nothing
of it: rendering rewrites the finished text, and the module's checks take the variant's constants.
"""

from hotloop.variants.draw import draw, of_class, same_answers, same_for_all
from hotloop.variants.variant import NAME, Variant, beside, plain

__all__ = ["NAME", "Variant", "beside", "draw", "of_class", "plain", "same_answers", "same_for_all"]
