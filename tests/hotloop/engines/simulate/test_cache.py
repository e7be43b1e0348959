"""Built files are cached by content."""

import os
import time
from pathlib import Path

import pytest

from hotloop.engines.simulate import build, cache
from hotloop.engines.simulate.problem import CompileError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv("HOTLOOP_SIMULATOR_CACHE", str(path))
    monkeypatch.delenv("HOTLOOP_SIMULATOR_PREBUILT", raising=False)
    return path


def test_the_folder_is_made_where_the_variables_say(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache.folder() == folder
    assert folder.is_dir()
    monkeypatch.delenv("HOTLOOP_SIMULATOR_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache.folder() == tmp_path / "xdg" / "hotloop" / "simulator"


def test_boundaries_between_parts_count() -> None:
    digests = {cache.digest(parts) for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""])}
    assert len(digests) == 4
    assert cache.digest(["x"]) == cache.digest([b"x"])


def test_a_file_is_made_once(folder: Path) -> None:
    made: list[Path] = []

    def make(target: Path) -> None:
        made.append(target)
        target.write_text("content")

    first, second = cache.get_or_make("name", make), cache.get_or_make("name", make)
    assert first == second == folder / "name"
    assert first.read_text() == "content"
    assert len(made) == 1
    assert made[0].parent != folder, "made aside and moved into place"


def test_a_folder_that_another_process_has_made_meanwhile_is_as_good(folder: Path) -> None:
    def make(target: Path) -> None:
        for path in (target, folder / "name"):
            path.mkdir()
            (path / "file").write_text(path.parent.name)

    assert (cache.get_or_make("name", make) / "file").read_text() == folder.name


def test_a_failure_leaves_nothing_behind(folder: Path) -> None:
    def fail(target: Path) -> None:
        target.write_text("half")
        raise CompileError("no")

    with pytest.raises(CompileError):
        cache.get_or_make("name", fail)
    assert list(folder.iterdir()) == []


def test_what_is_prebuilt_is_taken_and_never_written(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prebuilt = tmp_path / "prebuilt"
    prebuilt.mkdir()
    (prebuilt / "there").write_text("given")
    monkeypatch.setenv("HOTLOOP_SIMULATOR_PREBUILT", str(prebuilt))
    there = cache.get_or_make("there", lambda _target: pytest.fail("made again"))
    missing = cache.get_or_make("missing", lambda target: target.touch())
    assert there == prebuilt / "there"
    assert missing == folder / "missing"
    assert [p.name for p in prebuilt.iterdir()] == ["there"]


def test_what_was_not_used_for_longest_goes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 250)
    for name in ("old", "older", "oldest"):
        cache.get_or_make(name, lambda target: target.write_bytes(bytes(100)))
    in_folder = folder / "runtime" / "object"
    in_folder.parent.mkdir()
    in_folder.write_bytes(bytes(100))
    unfinished = folder / "making-something"
    unfinished.mkdir()
    for path, hours in ((folder / "old", 4), (folder / "older", 5), (folder / "oldest", 6)):
        _age(path, hours)
    _age(in_folder.parent, 7)
    _age(unfinished, 99)
    assert cache.get_or_make("oldest", lambda _: pytest.fail("it is there")).stat().st_size == 100
    cache.tidy()
    left = {path.name for path in folder.iterdir()}
    assert left == {"oldest", "old", "making-something"}, "the one that was asked for is the newest"


def test_what_was_used_just_now_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MOST_BYTES", 0)
    for name in ("one", "two"):
        cache.get_or_make(name, lambda target: target.write_bytes(bytes(100)))
    assert {path.name for path in folder.iterdir()} == {"one", "two"}
    _age(folder / "one", 2)
    cache.get_or_make("three", lambda target: target.touch())
    assert {path.name for path in folder.iterdir()} == {"two", "three"}


def _age(path: Path, hours: float) -> None:
    when = time.time() - 3600 * hours
    os.utime(path, (when, when))


@pytest.mark.slow
def test_a_changed_source_is_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clone: Path
) -> None:
    monkeypatch.setenv("HOTLOOP_SIMULATOR_CACHE", str(clone / "build" / "simulator"))
    path, header = tmp_path / "a.cu", tmp_path / "a.h"
    path.write_text('#include "a.h"\nint main() { return VALUE; }\n')
    header.write_text("#define VALUE 1\n")
    one = build.program([path], checked=False).folder
    again = build.program([path], checked=False).folder
    header.write_text("#define VALUE 2\n")
    two = build.program([path], checked=False).folder
    defined = build.program([path], checked=False, defines=["OTHER=3"]).folder
    checked = build.program([path], checked=True).folder
    assert one == again
    assert len({one, two, checked}) == 3
    assert defined == two, "a macro that nobody uses changes nothing"
