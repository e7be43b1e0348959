"""An Anki package: a deck per track, a card per question, one more if a question has numbers.

A note's id depends on the question's id and the language alone, so that a later package updates a
learner's notes and keeps the learner's schedule.
"""

import hashlib
import io
import itertools
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import genanki

from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import markup
from hotloop.learn.bank.export.labels import LABELS
from hotloop.learn.bank.wording import Language, wording
from hotloop.tasks import curriculum

MODEL_ID = 1_714_390_277
"""Id of the note type. Anki identifies the type by it, so it must never change."""

_FIELDS = ("Prompt", "Answer", "About", "Key", "Practice")
_FRONT = '<div class="about">{{About}}</div>{{Prompt}}'
_BACK = (
    '{{FrontSide}}<hr id="answer">{{Answer}}'
    '{{#Practice}}<p class="about">{{Practice}}</p>{{/Practice}}<p class="about">{{Key}}</p>'
)
_CSS = """
.card { font: 18px/1.5 system-ui, sans-serif; max-width: 44em; margin: auto; text-align: left; }
.about { color: #667; font-size: 14px; }
h3 { font-size: 16px; margin: 1em 0 .3em; }
pre { font: 14px/1.4 monospace; overflow-x: auto; }
th { padding-right: .7em; vertical-align: top; text-align: left; }
"""


def package(entries: Sequence[CatalogEntry], language: Language, written: float) -> bytes:
    """Return the questions as an .apkg file.

    written: seconds since 1970; when importing, Anki keeps the newer note.
    """
    # genanki has no types.
    library: Any = genanki
    model = library.Model(
        MODEL_ID,
        "Hotloop question",
        fields=[{"name": name} for name in _FIELDS],
        templates=[{"name": "Question", "qfmt": _FRONT, "afmt": _BACK}],
        css=_CSS,
    )
    decks = [_deck(model, track, entries, language) for track in curriculum.curriculum().tracks]
    return _packed(library.Package([deck for deck in decks if deck.notes]), written)


def guid(entry: CatalogEntry, language: Language, kind: str = "question") -> str:
    """Return a note's id."""
    library: Any = genanki
    return library.guid_for("hotloop", entry.question.id, language, kind)


def _deck(
    model: Any, track: curriculum.Track, entries: Iterable[CatalogEntry], language: Language
) -> Any:
    library: Any = genanki
    number = int.from_bytes(hashlib.sha256(f"hotloop.{track.id}.{language}".encode()).digest()[:4])
    deck = library.Deck(2**30 + number % 2**30, f"{LABELS[language].bank}::{track.title}")
    for entry in entries:
        if entry.track == track.id:
            for kind, prompt, answer in _cards(entry, language):
                deck.add_note(
                    library.Note(
                        model=model,
                        fields=[prompt, answer, *_about(entry, language)],
                        guid=guid(entry, language, kind),
                        tags=[
                            f"hotloop::{place}"
                            for place in (entry.track, entry.question.level, entry.module)
                            if place
                        ],
                    )
                )
    return deck


def _cards(entry: CatalogEntry, language: Language) -> list[tuple[str, str, str]]:
    """Return kind, front and back of each card."""
    texts = wording(entry, language)
    labels = LABELS[language]
    cards = [("question", markup.paragraphs(texts.prompt), markup.solution(texts, labels))]
    if entry.question.numeric:
        instance = numeric.draw(entry.question.numeric, entry.key, texts.numeric)
        back = f"<p><b>{markup.inline(instance.shown)}</b></p>{markup.paragraphs(instance.explain)}"
        cards.append(("numeric", markup.paragraphs(instance.ask), back))
    return cards


def _about(entry: CatalogEntry, language: Language) -> list[str]:
    labels, question = LABELS[language], entry.question
    about = f"{labels.levels[question.level]} · {question.minutes} {labels.minutes}"
    practise = f"{labels.practise}: {', '.join(question.links)}" if question.links else ""
    return [about, entry.key, practise]


def _packed(package: Any, written: float) -> bytes:
    """Like genanki's own writer, but without leaving a temporary file behind."""
    with tempfile.TemporaryDirectory(prefix="hotloop-anki-") as folder:
        path = Path(folder) / "collection.anki2"
        database = sqlite3.connect(path)
        package.write_to_db(database.cursor(), written, itertools.count(int(written * 1000)))
        database.commit()
        database.close()
        collection = path.read_bytes()
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (("collection.anki2", collection), ("media", b"{}")):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return target.getvalue()
