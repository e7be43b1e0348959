"""Imports what ipykernel and IPython import only when a kernel starts or runs its first cell.

Preloaded together with hotloop.worker.kernel. A name that another version lacks is skipped and only
costs time.
"""

import importlib
from contextlib import suppress

_LATE = (
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "code",
    "faulthandler",
    "ipykernel.debugger",
    "runpy",
    "tornado.gen",
    "tornado.locks",
    "tornado.platform.asyncio",
    "tornado.queues",
    "unicodedata",
)

for _name in _LATE:
    with suppress(ImportError):
        importlib.import_module(_name)
