"""A session at a real terminal, which is a pseudo-terminal here."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pexpect

from hotloop.practice import store


def test_a_person_answers_and_leaves_with_ctrl_c(home: Path) -> None:
    words = ["-m", "hotloop.cli", "interview", "--track", "dl_compilers", "--numbers"]
    environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    child = pexpect.spawn(
        sys.executable, words, dimensions=(24, 80), env=environment, timeout=60, encoding="utf-8"
    )
    child.expect("Question 1 of")
    child.expect(r"0:0\d of \d+ min")
    # The clock goes on while nobody types; only what changes is drawn, behind a move to the left.
    child.expect(r"D\x1b\[0m[1-9]|0:0[1-9] of")
    child.send("1 row\r")
    child.send("r\r")
    child.expect("A good answer")
    child.expect("0 to 4>")
    child.send("2\r")
    child.expect("Marked 2")
    child.expect("Enter")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "1 marked" in (child.before or "")
    (review,) = store.read().state.reviews
    assert review.mark == 2
    assert review.seconds >= 1
    assert home.joinpath("practice.json").is_file()
