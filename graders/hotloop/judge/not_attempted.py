"""Separates mistakes, and checks that cannot be measured, from exercises that were not started.

Some handed-out files do not parse yet: an empty configuration, a kernel without a body. A compiler
error then only means that the learner has not started. And if there is no answer, no points stay
pending for lack of a machine that could measure one.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from hotloop.core import paths
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.files import SubmissionFiles

_OPEN = frozenset({Verdict.NOT_MEASURED, Verdict.UNDECIDED})


def without_blame(
    checks: Sequence[CheckRecord],
    module: str,
    files: SubmissionFiles,
    given: Mapping[str, str] | None = None,
) -> tuple[CheckRecord, ...]:
    """Return the checks; COMPILE_ERROR is WRONG_ANSWER, "Not attempted", if no file was edited.

    given: as in `Job`.
    """
    blamed = any(check.verdict is Verdict.COMPILE_ERROR for check in checks)
    if not blamed or not _is_as_handed_out(sorted(files.read), module, files, given or {}):
        return tuple(checks)
    names = sorted(files.read)
    which = f"`{names[0]}` is as it was" if len(names) == 1 else "its files are as they were"
    sentence = f"Not attempted yet: {which} handed out."
    return _not_attempted(checks, {Verdict.COMPILE_ERROR}, sentence)


def without_open(
    checks: Sequence[CheckRecord],
    module: str,
    asked: Iterable[str],
    files: SubmissionFiles,
    given: Mapping[str, str] | None = None,
) -> tuple[CheckRecord, ...]:
    """Return the checks; pending ones become WRONG_ANSWER, "Not attempted", if there is no answer.

    There is none if every file in `asked` (the files that the task asks to edit) is missing, empty
    or as handed out. If `asked` is empty, the checks stay as they are.

    given: as in `Job`.
    A failure of the judge stays one.
    """
    names = sorted(asked)
    if not names or not any(check.verdict in _OPEN for check in checks):
        return tuple(checks)
    states = {_state(name, module, files, given or {}) for name in names}
    if "" in states:
        return tuple(checks)
    sentence = f"Not attempted: {', '.join(f'`{name}`' for name in names)} "
    sentence += f"{'is' if len(names) == 1 else 'are'} {' or '.join(sorted(states))}."
    return _not_attempted(checks, _OPEN, sentence)


def _state(name: str, module: str, files: SubmissionFiles, given: Mapping[str, str]) -> str:
    """Return why a file holds no answer; an empty string if it may hold one."""
    try:
        content = files.content(name)
    except Ruling as ruling:
        return "" if ruling.verdict is Verdict.OUTPUT_LIMIT else "missing"
    if not content.strip():
        return "empty"
    return "as handed out" if _is_as_handed_out([name], module, files, given) else ""


def _not_attempted(
    checks: Sequence[CheckRecord], verdicts: Set[Verdict], sentence: str
) -> tuple[CheckRecord, ...]:
    """Return the checks, those with one of the verdicts as WRONG_ANSWER with this sentence."""
    return tuple(
        replace(check, verdict=Verdict.WRONG_ANSWER, sentence=sentence, evidence={})
        if check.verdict in verdicts
        else check
        for check in checks
    )


def _is_as_handed_out(
    names: Sequence[str], module: str, files: SubmissionFiles, given: Mapping[str, str]
) -> bool:
    """Return True if these files of the submission are byte for byte as handed out."""
    try:
        handed_in = {name: _digest(files, name) for name in names}
        if not given:
            exercise = SubmissionFiles(paths.exercises() / module)
            given = {name: _digest(exercise, name) for name in names}
    except Ruling:  # one of the two folders lacks a file
        return False
    return bool(names) and all(given.get(name) == handed_in[name] for name in names)


def _digest(files: SubmissionFiles, name: str) -> str:
    return hashlib.sha256(files.content(name)).hexdigest()
