from pathlib import Path

import pytest

from hotloop.learn.bank import proofs
from hotloop.learn.bank.proofs import ProofFailed


@pytest.fixture
def folder(tree: Path) -> Path:
    made = tree / "first" / "proofs"
    made.mkdir()
    return made


def _program(folder: Path, source: str, name: str = "one") -> Path:
    path = folder / f"{name}.py"
    path.write_text(source)
    return path


@pytest.mark.parametrize(
    ("output", "recorded", "words"),
    [
        ("8 bytes\n", "8 bytes\n", ""),
        ("8 bytes  \n\n", "8 bytes\n\n", ""),
        ("8 bytes\n", "9 bytes\n", "'8 bytes', recorded is '9 bytes'"),
        ("a\nb\n", "a\n", "2 lines, recorded are 1"),
        ("off by 8.6e-04\n", "off by 8.5e-04\n", ""),
        ("off by 2.6e-03\n", "off by 8.5e-04\n", "recorded is 'off by 8.5e-04'"),
        ("on by 8.5e-04\n", "off by 8.5e-04\n", "recorded is 'off by 8.5e-04'"),
        ("measured: 3 ms\n", "measured: 4 ms\n", ""),
        ("measured: 3 ms\n", "3 ms\n", "recorded is '3 ms'"),
        ("not measured here: no server\na\n", "a\non the server: 3\n", ""),
        ("a\nnot measured here: no server\nb\n", "a\non the server: 3\n", "'b' is not recorded"),
        ("a\nnot measured here: x\nmeasured: 1\n", "a\nmeasured: 2\nb\n", ""),
    ],
)
def test_what_must_be_equal_is(output: str, recorded: str, words: str) -> None:
    found = proofs.difference(output, recorded)
    assert words in found
    assert bool(words) == bool(found)


def test_programs_are_named_by_module_and_program(folder: Path) -> None:
    one, two = _program(folder, "", "one"), _program(folder, "", "two")
    assert proofs.programs() == proofs.programs(["first"]) == [one, two]
    assert proofs.programs(["first.two", "first"]) == [two, one]
    assert proofs.name_of(two) == "first.two"
    with pytest.raises(KeyError, match=r"no proof 'first\.three'"):
        proofs.programs(["first.three"])


def test_an_output_is_recorded_once_and_then_compared(folder: Path) -> None:
    path = _program(folder, "print('4 β')\n")
    assert proofs.compare(path).state == "new"
    assert not proofs.record_of(path).exists()
    assert proofs.record(path).state == "new"
    assert proofs.record_of(path).read_text(encoding="utf-8") == "4 β\n"
    assert proofs.compare(path).state == proofs.record(path).state == "same"
    _program(folder, "print(5)\n")
    assert proofs.compare(path).state == "changed"
    assert "'5', recorded is '4 β'" in proofs.compare(path).sentence
    proofs.record(path)
    assert proofs.compare(path).state == "same"


def test_a_record_is_not_rewritten_for_figures_that_always_differ(folder: Path) -> None:
    path = _program(folder, "import time\nprint('measured:', time.time())\n")
    proofs.record(path)
    kept = proofs.record_of(path).read_text()
    assert proofs.record(path).state == "same"
    assert proofs.record_of(path).read_text() == kept


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("assert 1 == 2, 'a claim is wrong'", "AssertionError: a claim is wrong"),
        ("raise SystemExit(3)", "exit code 3"),
        ("", "it prints nothing"),
    ],
)
def test_a_program_that_fails_records_nothing(folder: Path, source: str, words: str) -> None:
    path = _program(folder, source)
    with pytest.raises(ProofFailed, match=words):
        proofs.output_of(path)
    found = proofs.record(path)
    assert (found.state, found.sentence) == ("failed", words)
    assert not proofs.record_of(path).exists()


def test_a_program_that_takes_too_long_fails(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proofs, "SECONDS", 0.2)
    path = _program(folder, "import time\ntime.sleep(30)\n")
    with pytest.raises(ProofFailed, match=r"more than 0\.2 s"):
        proofs.output_of(path)


def test_what_a_machine_lacks_is_no_fault_and_is_not_recorded(folder: Path) -> None:
    path = _program(folder, "import a_package_of_nobody\n")
    assert proofs.record(path).state == "lacking"
    path = _program(folder, "print('a')\nprint('not measured here: no server')\n")
    assert proofs.record(path).state == "lacking"
    assert not proofs.record_of(path).exists()
    proofs.record_of(path).write_text("a\nb\n")
    assert proofs.compare(path).state == "same"
