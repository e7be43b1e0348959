"""Makes feedback pages: nbconvert's HTML, from templates that are compiled once a process."""

from typing import Any, cast

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from nbconvert.exporters import HTMLExporter


class InMemory(BytecodeCache):
    """Compiled templates of this process; one whose text has changed is compiled again."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill a bucket whose template is known."""
        known = self._compiled.get(bucket.key)
        if known is not None:
            bucket.bytecode_from_string(known)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()


_COMPILED = InMemory()


class FeedbackExporter(HTMLExporter):
    """`GenerateFeedback.exporter_class`. nbconvert makes an exporter a page, and each would compile
    all templates anew: half of a page's time.
    """

    def _create_environment(self) -> Any:
        environment = cast(Any, super())._create_environment()
        environment.bytecode_cache = _COMPILED
        return environment
