"""The engine that runs WebAssembly: wasmtime on a machine, the browser's own in a page.

Both define the same four names, and nothing else knows which of them runs.
"""

import sys

if sys.platform == "emscripten":
    from hotloop.engines.simulate.engine.browser import VERSION, Store, compiled, validate
else:
    from hotloop.engines.simulate.engine.machine import VERSION, Store, compiled, validate

__all__ = ["VERSION", "Store", "compiled", "validate"]
