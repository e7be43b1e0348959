"""Import TVM without PyTorch, which TVM imports if it finds it. This takes a third of the time.

Programs that need no torch tensors import this before they import tvm. They can still import
PyTorch afterwards.
"""

from __future__ import annotations

import sys
from typing import Any, cast

_absent = "torch" not in sys.modules
if _absent:
    sys.modules["torch"] = cast(Any, None)
try:
    import tvm  # noqa: F401
    from tvm import relax  # noqa: F401
finally:
    if _absent:
        del sys.modules["torch"]
