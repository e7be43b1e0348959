"""Keeps jsonschema from building a grammar for internationalised addresses, which takes a second.

It does so at every start of every program that reads notebooks, for a format that no notebook's
schema mentions. Without the package it goes without that one check, as it is made to.
"""

import sys
from typing import Any, cast

sys.modules.setdefault("rfc3987_syntax", cast(Any, None))
