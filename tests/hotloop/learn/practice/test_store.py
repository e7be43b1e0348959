import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.practice import store
from hotloop.learn.practice.state import PracticeRecord, Review
from hotloop.learn.practice.store import Outdated

ReviewOf = Callable[..., Review]


def text(*reviews: Review) -> str:
    return PracticeRecord(reviews=list(reviews)).model_dump_json()


def test_nothing_is_kept_before_the_first_mark(home: Path) -> None:
    assert store.read().state == PracticeRecord()
    assert not home.exists()


def test_what_is_written_is_read_again(home: Path, review: ReviewOf) -> None:
    first = store.replace(text(review(1)), store.read().version)
    store.replace(text(review(1), review(2, 1)), first.version)
    assert [each.mark for each in store.read().state.reviews] == [1, 2]
    assert {path.name for path in home.iterdir()} == {"practice.json", ".practice.json.lock"}


def test_whoever_read_an_earlier_file_writes_nothing(home: Path, review: ReviewOf) -> None:
    before = store.read().version
    store.replace(text(review(1)), before)
    with pytest.raises(Outdated):
        store.replace(text(review(4)), before)
    assert [each.mark for each in store.read().state.reviews] == [1]


def test_writers_side_by_side_lose_nothing(home: Path, review: ReviewOf) -> None:
    def practice(first: int) -> None:
        for day in range(first, 40, 4):
            while True:
                kept = store.read()
                try:
                    store.replace(text(*kept.state.reviews, review(3, day)), kept.version)
                except Outdated:
                    continue
                break

    threads = [threading.Thread(target=practice, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.read().state.reviews) == 40


@pytest.mark.parametrize(
    "content", [b'{"format": 1, "reviews": [', b"\xff\xfe", b"", b'{\n "theme": "dark"\n}\n']
)
def test_a_file_that_cannot_be_read_is_said_and_stays(
    content: bytes, home: Path, review: ReviewOf
) -> None:
    home.mkdir(parents=True)
    (home / "practice.json").write_bytes(content)
    for call in (store.read, lambda: store.replace(text(review()), "")):
        with pytest.raises(CurriculumError, match=r"practice\.json:\d+: "):
            call()
    assert (home / "practice.json").read_bytes() == content


def test_what_is_not_of_the_format_is_not_written(home: Path) -> None:
    with pytest.raises(ValidationError):
        store.replace('{"reviews": [{"mark": 9}]}', store.read().version)
    assert not home.exists()


def test_a_full_disk_leaves_what_was_there(
    home: Path, review: ReviewOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.replace(text(review()), store.read().version)

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.replace(text(review(), review(1, 1)), kept.version)
    assert store.read() == kept
    assert not list(home.glob(".practice.json-*"))


def test_a_link_stays_a_link(home: Path, tmp_path: Path, review: ReviewOf) -> None:
    home.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere.json"
    (home / "practice.json").symlink_to(elsewhere)
    store.replace(text(review()), store.read().version)
    assert (home / "practice.json").is_symlink()
    assert len(PracticeRecord.model_validate_json(elsewhere.read_text()).reviews) == 1
