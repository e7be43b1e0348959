"""Keep torch out of a process that needs only TVM. Import this before TVM; it saves a second.

tvm_ffi imports torch if it is installed, to exchange tensors with it.
"""

import sys

sys.modules.setdefault("torch", None)  # type: ignore[arg-type]
