"""The package can be imported by Anki's own library, which Anki's desktop program uses."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

from hotloop.learn.bank.catalog import CatalogEntry, catalog
from hotloop.learn.bank.export import anki
from hotloop.learn.bank.wording import Language

Load = Callable[[bytes], Any]
NOW = 1_800_000_000.0


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    opened = Collection(str(tmp_path / "collection.anki2"))
    yield opened
    opened.close()


@pytest.fixture
def load(collection: Collection, tmp_path: Path) -> Load:
    """Returns a function that imports a package as a learner does; it returns Anki's log."""

    def loaded(package: bytes) -> Any:
        path = tmp_path / "package.apkg"
        path.write_bytes(package)
        request = ImportAnkiPackageRequest(
            package_path=str(path), options=ImportAnkiPackageOptions(with_scheduling=True)
        )
        return collection.import_anki_package(request).log

    return loaded


@pytest.mark.parametrize(("language", "bank"), [("en", "Hotloop"), ("zh", "Hotloop 中文")])
def test_anki_reads_a_question_and_its_numbers(
    entry: CatalogEntry, collection: Collection, load: Load, language: Language, bank: str
) -> None:
    log = load(anki.package([entry], language, NOW))
    assert (len(log.new), collection.card_count()) == (2, 2)
    assert f"{bank}::A" in [deck.name for deck in collection.decks.all_names_and_ids()]
    found = {note.guid: note for note in map(collection.get_note, collection.find_notes(""))}
    assert set(found) == {anki.guid(entry, language), anki.guid(entry, language, "numeric")}
    note = found[anki.guid(entry, language)]
    assert note["Key"] == entry.key
    assert sorted(note.tags) == ["hotloop::a", "hotloop::beginner", "hotloop::first"]
    assert "first.task" in note["Practice"]


def test_the_card_shows_what_was_written(
    entry: CatalogEntry, collection: Collection, load: Load
) -> None:
    load(anki.package([entry], "en", NOW))
    (number,) = [
        found
        for found in collection.find_notes("")
        if collection.get_note(found).guid == anki.guid(entry, "en")
    ]
    card = collection.get_note(number).cards()[0]
    assert "<code>a-&gt;b</code> &lt;b&gt; &amp;" in card.question()
    assert "Second :: paragraph" in card.question()
    assert "not a comment" not in card.question()
    assert "not a comment" in card.answer()
    assert all(f"mark {mark}" in card.answer() for mark in range(5))


def test_a_later_package_updates_a_note_and_keeps_its_card(
    ask: Callable[..., CatalogEntry], collection: Collection, load: Load
) -> None:
    load(anki.package([ask()], "en", NOW))
    before = list(collection.find_cards(""))
    log = load(anki.package([ask(answer="Another answer.")], "en", NOW + 10))
    assert (len(log.new), len(log.updated)) == (0, 1)
    assert list(collection.find_cards("")) == before
    assert "Another answer." in collection.get_note(collection.find_notes("")[0])["Answer"]


@pytest.mark.slow
def test_the_whole_bank_is_read(collection: Collection, load: Load) -> None:
    entries = catalog()
    numbers = [entry for entry in entries if entry.question.numeric]
    load(anki.package(entries, "en", NOW))
    assert collection.note_count() == collection.card_count() == len(entries) + len(numbers)
