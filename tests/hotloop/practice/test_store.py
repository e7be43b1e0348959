from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.practice import store
from hotloop.practice.state import Review, State
from hotloop.yaml_lines import CurriculumError


def test_nothing_is_kept_before_the_first_mark(home: Path) -> None:
    assert store.read().state == State()
    assert not home.exists()


def test_what_is_added_is_read_again(home: Path, review: Callable[..., Review]) -> None:
    store.add(State(reviews=[review(1)]))
    store.add(State(reviews=[review(2, 1)]))
    assert [each.mark for each in store.read().state.reviews] == [1, 2]
    assert json.loads((home / "practice.json").read_text())["format"] == 1


@pytest.mark.parametrize("content", [b'{"format": 1, "reviews": [', b"\xff\xfe", b""])
def test_a_damaged_file_is_set_aside_and_told_of(
    content: bytes, home: Path, review: Callable[..., Review]
) -> None:
    home.mkdir(parents=True)
    (home / "practice.json").write_bytes(content)
    kept = store.read()
    (aside,) = home.glob("practice.damaged-*.json")
    assert aside.read_bytes() == content
    assert kept.notice is not None
    assert aside.name in kept.notice
    (home / "practice.json").write_bytes(content)
    assert store.add(State(reviews=[review()])).notice
    assert len(list(home.glob("practice.damaged-*.json"))) == 2
    assert len(store.read().state.reviews) == 1


def test_an_unknown_key_is_refused_with_its_line_and_nothing_is_touched(
    home: Path, review: Callable[..., Review]
) -> None:
    home.mkdir(parents=True)
    file = home / "practice.json"
    text = '{\n "format": 1,\n "reviews": [],\n "theme": "dark"\n}\n'
    file.write_text(text)
    for call in (store.read, lambda: store.add(State(reviews=[review()]))):
        with pytest.raises(CurriculumError, match=r"practice\.json:4: unknown key 'theme'"):
            call()
    assert file.read_text() == text


def test_sessions_side_by_side_lose_nothing(home: Path, review: Callable[..., Review]) -> None:
    def practise(first: int) -> None:
        for day in range(first, 40, 4):
            store.add(State(reviews=[review(3, day)]))

    threads = [threading.Thread(target=practise, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.read().state.reviews) == 40
    assert {path.name for path in home.iterdir()} == {"practice.json", ".practice.json.lock"}


def test_ctrl_c_waits_until_a_mark_is_written(
    home: Path, review: Callable[..., Review], monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def interrupted(path: Path, target: Path) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.add(State(reviews=[review()]))
    assert len(store.read().state.reviews) == 1


def test_a_full_disk_leaves_what_was_there(
    home: Path, review: Callable[..., Review], monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add(State(reviews=[review()]))

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.add(State(reviews=[review(1, 1)]))
    assert len(store.read().state.reviews) == 1
    assert not list(home.glob(".practice.json-*"))


def test_a_link_stays_a_link(home: Path, tmp_path: Path, review: Callable[..., Review]) -> None:
    home.mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere.json"
    (home / "practice.json").symlink_to(elsewhere)
    store.add(State(reviews=[review()]))
    assert (home / "practice.json").is_symlink()
    assert len(store.parse(elsewhere).reviews) == 1
