"""Selects questions by an interviewer's criteria."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hotloop.learn.bank import catalog
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.interviews import Round, roles_of, round_of
from hotloop.learn.bank.question import Kind
from hotloop.learn.bank.wording import Language


@dataclass(frozen=True)
class QuestionSelection:
    """The criteria; None or the default means any. keys: only these questions, in this order."""

    track: str | None = None
    level: str | None = None
    module: str | None = None
    kind: Kind | None = None
    role: str | None = None
    round: Round | None = None
    language: Language = "en"
    numeric: bool = False
    keys: Sequence[str] = field(default_factory=tuple)

    def of(self, entries: Iterable[CatalogEntry]) -> list[CatalogEntry]:
        """Return the entries that match."""
        return [entry for entry in entries if self._fits(entry)]

    def entries(self) -> list[CatalogEntry]:
        """Return the bank's entries that match. Raises KeyError if a key does not exist."""
        if self.keys:
            return self.of(catalog.find(key) for key in self.keys)
        return self.of(catalog.catalog())

    def _fits(self, entry: CatalogEntry) -> bool:
        return (
            self.track in (None, entry.track)
            and self.level in (None, entry.question.level)
            and self.module in (None, entry.module)
            and self.kind in (None, entry.question.kind)
            and (self.role is None or self.role in roles_of(entry))
            and self.round in (None, round_of(entry))
            and self.language in entry.languages
            and (entry.question.numeric is not None or not self.numeric)
        )
