"""Keeps jsonschema from building a grammar for internationalized addresses (IRIs).

That takes a second at every start of a program that reads notebooks, for a format that the notebook
schema does not use. Without the package jsonschema skips this check by design.
"""

import sys
from typing import Any, cast

sys.modules.setdefault("rfc3987_syntax", cast(Any, None))
