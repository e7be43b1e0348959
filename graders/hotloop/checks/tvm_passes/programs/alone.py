"""Keeps torch out of a process that needs TVM alone: imported before TVM, it saves a second.

tvm_ffi imports torch when it is there, to exchange tensors with it.
"""

import sys

sys.modules.setdefault("torch", None)  # type: ignore[arg-type]
