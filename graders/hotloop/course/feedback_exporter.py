"""Renders feedback pages with nbconvert, compiling its templates once per process."""

from typing import Any, cast

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from nbconvert.exporters import HTMLExporter


class InMemory(BytecodeCache):
    """A cache of compiled templates in this process; changed templates are compiled again."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a cached template into the bucket."""
        known = self._compiled.get(bucket.key)
        if known is not None:
            bucket.bytecode_from_string(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Cache a compiled template."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()


_COMPILED = InMemory()


class FeedbackExporter(HTMLExporter):
    """`GenerateFeedback.exporter_class`, with compiled templates shared between pages.

    nbconvert creates an exporter per page, and each would compile all templates: half of a page's
    time.
    """

    def _create_environment(self) -> Any:
        environment = cast(Any, super())._create_environment()
        environment.bytecode_cache = _COMPILED
        return environment
