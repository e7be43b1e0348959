"""Plain answers, and files that are sent to a worker and returned."""

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.file_exchange import FIRST_BYTES, get_file, get_files, put_file, put_files
from hotloop.judge.questions import (
    GivenFile,
    ask_all_plainly,
    ask_plainly,
    dict_mismatch,
    number_mismatch,
    put_folder,
    same,
    without_zeros,
)
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.freezer import SignalFreezer
from hotloop.worker.serve import serve


def size_of(path: str) -> int:
    return len(Path(path).read_bytes())


def twice(n: int) -> int:
    return 2 * n


def write(folder: str) -> str:
    path = Path(folder) / "written"
    path.write_bytes(b"abc" * 1000)
    return str(path)


def not_plain() -> Any:
    return object()


def of_libraries() -> Any:
    values = np.array([3, 4])
    return {
        "whole": values.sum(),
        values[0]: (np.float32(0.5), np.bool_(True), values[0] > 5),
        "rows": values.reshape(2, 1),
        "torch": torch.tensor([1.5, 2.0]),
        "zero": torch.tensor(7),
        "counts": Counter("aab"),
    }


@pytest.fixture
def link() -> Iterator[WorkerConnection]:
    """Links to a worker in a thread of this process: tests the protocol, not the sandbox."""
    ours, theirs = socket.socketpair()
    names = {"size_of": size_of, "twice": twice, "write": write, "not_plain": not_plain}
    names["of_libraries"] = of_libraries
    thread = threading.Thread(target=serve, args=(theirs, names))
    thread.start()
    link = WorkerConnection(ours, SignalFreezer(2**22 - 1), trusted=False)
    yield link
    link.bye()
    thread.join(10)


def test_arguments_and_answers_are_plain_data(link: WorkerConnection) -> None:
    link.resolve("twice", None, 10)
    assert ask_plainly(link, (21,), 10) == 42


def test_numbers_of_libraries_are_numbers(link: WorkerConnection) -> None:
    link.resolve("of_libraries", None, 10)
    assert ask_plainly(link, (), 10) == {
        "whole": 7,
        "3": [0.5, True, False],
        "rows": [[3], [4]],
        "torch": [1.5, 2.0],
        "zero": 7,
        "counts": {"a": 2, "b": 1},
    }


@pytest.mark.parametrize(
    ("got", "want", "equal"),
    [
        (3.0, 3, True),
        (3, 3.0, True),
        (3.5, 3, False),
        ("3", 3, False),
        (True, 1, False),
        (0, False, False),
        (True, True, True),
        (None, 0, False),
        (None, None, True),
        ([1.0, [2]], [1, [2.0]], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ([True], [1], False),
        ({"a": 1.0}, {"a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ({"a": 1, "b": 0}, {"a": 1}, False),
        ([], {}, False),
    ],
)
def test_numbers_are_the_same_by_value_and_truths_are_no_numbers(
    got: object, want: object, equal: bool
) -> None:
    assert same(got, want) is equal
    assert same(want, got) is equal


def test_what_does_not_occur_may_be_counted_or_left_out() -> None:
    counted = {"kLoop": 2, "kInput": 0, "kOutput": 0.0}
    assert without_zeros(counted) == {"kLoop": 2}
    assert without_zeros({"a": False}) == {"a": False}
    assert without_zeros([0]) == [0]
    assert dict_mismatch("it", counted, {"kLoop": 2}) is not None
    assert dict_mismatch("it", without_zeros(counted), {"kLoop": 2}) is None
    assert dict_mismatch("it", {}, {"kLoop": 2}) == "it of 'kLoop' is None, expected 2"
    assert dict_mismatch("it", {"kLoop": 2}, counted, absent=0) is None
    assert dict_mismatch("it", {}, {"kLoop": 2}, absent=0) == "it of 'kLoop' is 0, expected 2"


def test_a_file_is_given_by_its_path(link: WorkerConnection) -> None:
    link.resolve("size_of", None, 10)
    assert ask_plainly(link, (GivenFile("data.bin", b"x" * 123_457),), 10) == 123_457


def test_several_calls_are_one_exchange(link: WorkerConnection) -> None:
    link.resolve("size_of", None, 10)
    requests: list[str] = []
    request = link.request

    def counted(message: Any, *others: Any) -> Any:
        requests.append(message["op"])
        return request(message, *others)

    link.request = counted
    calls = [(GivenFile("data.bin", b"x" * size),) for size in (0, 5, 123_457)]
    assert ask_all_plainly(link, calls, 10) == [0, 5, 123_457]
    assert requests == ["map", *["put_file"] * 3, "unmap", "plan", "run"]


def test_files_come_back_in_order_whatever_their_lengths(link: WorkerConnection) -> None:
    contents = [b"a", b"", b"long" * FIRST_BYTES, b"b" * 7]
    paths = put_files(link, [("same", content) for content in contents])
    assert len(set(paths)) == len(paths)
    assert get_files(link, paths) == contents


def test_a_name_cannot_lead_out_of_the_folder(link: WorkerConnection) -> None:
    path = Path(put_file(link, "../../outside", b"x"))
    assert path.name == "outside"
    assert path.parent.name.startswith("given-")


def test_what_was_given_is_gone_with_the_link() -> None:
    ours, theirs = socket.socketpair()
    thread = threading.Thread(target=serve, args=(theirs, {}))
    thread.start()
    link = WorkerConnection(ours, SignalFreezer(2**22 - 1), trusted=False)
    paths = [Path(path) for path in put_files(link, [("data", b"a"), ("data", b"b")])]
    assert all(path.is_file() for path in paths)
    link.bye()
    thread.join(10)
    assert not any(path.parent.exists() for path in paths)


def test_what_a_candidate_wrote_comes_back(link: WorkerConnection) -> None:
    link.resolve("write", None, 10)
    path = ask_plainly(link, (put_folder(link),), 10)
    assert get_file(link, str(path)) == b"abc" * 1000


def test_a_file_that_is_too_long_is_refused(link: WorkerConnection) -> None:
    link.resolve("write", None, 10)
    path = str(ask_plainly(link, (put_folder(link),), 10))
    with pytest.raises(Ruling) as caught:
        get_file(link, path, most_bytes=4096 // 2)
    assert caught.value.verdict is Verdict.OUTPUT_LIMIT


def test_a_file_that_is_not_there_is_the_candidates_failure(link: WorkerConnection) -> None:
    with pytest.raises(Ruling) as caught:
        get_file(link, "/no/such/file")
    assert caught.value.verdict is Verdict.RUNTIME_ERROR


def test_an_answer_that_is_not_plain_is_the_candidates_failure(link: WorkerConnection) -> None:
    link.resolve("not_plain", None, 10)
    with pytest.raises(Ruling) as caught:
        ask_plainly(link, (), 10)
    assert "plain data" in caught.value.sentence


@pytest.mark.parametrize(
    ("got", "want", "right"),
    [
        (1.009, 1.0, True),
        (1.02, 1.0, False),
        (True, 1.0, False),
        ("1", 1.0, False),
        (None, None, True),
        (0.0, None, False),
        (float("nan"), 1.0, False),
    ],
)
def test_numbers_are_compared_within_a_share(got: object, want: float | None, right: bool) -> None:
    mismatch = number_mismatch("it", got, want, 0.01)
    assert (mismatch is None) == right


def test_a_number_beyond_all_floats_is_only_wrong() -> None:
    assert number_mismatch("it", 10**400, 1.0, 0.01) == "it is far too large"
