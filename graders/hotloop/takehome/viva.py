"""The viva: questions on a candidate's own code, and the answers.

    reports/<pack>/viva.json           items on their work, with the key, and which are accepted
    reports/<pack>/viva.html           the interviewer's page for the conversation, with the key
    reports/<pack>/viva_candidate.html  the candidate's page, without it
    reports/<pack>/viva_answers.json   the candidate's predictions, and marks for their reasons
    roles/<role>/viva.json             items on the reference, the same for all candidates

Items are made on the team's machine after the hand-in; packs contain nothing of them.
"""

import hashlib
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from uuid import UUID

from pydantic import Field, ValidationError

from hotloop.core import whole_file
from hotloop.core.document import Strict, Text
from hotloop.core.moment import Moment
from hotloop.core.user_error import UserError
from hotloop.core.yaml_lines import load
from hotloop.learn.pack.manifest import Digest, Pseudonym
from hotloop.learn.predicting import items
from hotloop.learn.predicting.items import ItemSet, PredictionItem
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.learn.predicting.scores import (
    Prediction,
    ScoredPredictions,
    TrueOutcome,
    VivaScore,
    scored,
)
from hotloop.takehome.execution import code_tasks
from hotloop.takehome.submission import given_files, open_submission
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum, render

NAME, ANSWERS = "viva.json", "viva_answers.json"
PAGE, CANDIDATE_PAGE = "viva.html", "viva_candidate.html"
FIXED_MOST = 4
"""Most items on the reference: with as many on the candidate's code they take 20 minutes."""


class VivaError(UserError):
    """The operation is not possible. The text is one sentence."""


class Viva(Strict):
    """Items, and the numbers of those that a person has accepted.

    submission: digest of the zip that they are about; "" for items on the reference.
    """

    format: Literal[1] = 1
    submission: str
    questions: ItemSet
    accepted: list[int] = Field(default_factory=list[int])

    @property
    def items(self) -> list[PredictionItem]:
        """The accepted items."""
        return [item for item in self.questions.items if item.number in self.accepted]

    @property
    def digest(self) -> str:
        """Digest of the items, which distinguishes answers to an older set."""
        return hashlib.sha256(self.questions.model_dump_json().encode()).hexdigest()


class VivaAnswers(Strict):
    """Answers to one set of items. items: digest of the set."""

    items: Digest
    said: list[Prediction] = Field(default_factory=list[Prediction])


class VivaFile(Strict):
    """The file that the page saves. own: on the candidate's code; fixed: on the reference."""

    candidate: Pseudonym
    own: VivaAnswers | None = None
    fixed: VivaAnswers | None = None


class Filed(Strict):
    """Answers as stored. submission: digest of the zip that the items are about."""

    format: Literal[1] = 1
    filed: Moment
    by: Text
    submission: Digest
    answers: VivaFile
    score: VivaScore


def work_of(team: Team, pack: UUID) -> tuple[PredictedSubmission, str]:
    """Return the last submission's work, and its digest. Raises VivaError if there is none."""
    paths = team.submissions(pack)
    if not paths:
        raise VivaError(f"{team.pack(pack).pseudonym} has not handed in yet.")
    submission = open_submission(paths[-1], team)
    manifest = submission.manifest
    work = PredictedSubmission(
        curriculum.load_module(manifest.module),
        tuple(code_tasks(manifest.module, manifest.tasks)),
        submission.work.files,
        given_files(team, manifest),
        team.variant(pack),
        manifest.files,
    )
    return work, submission.digest


def reference(team: Team, role: str) -> PredictedSubmission:
    """Return the published solution of a role's tasks."""
    spec = team.role(role)
    tasks = code_tasks(spec.module, [task.task for task in spec.tasks])
    return PredictedSubmission(
        curriculum.load_module(spec.module),
        tuple(tasks),
        render.submission(spec.module),
        render.untouched(spec.module),
    )


def make(team: Team, pack: UUID, who: str, say: Callable[[str], None]) -> Viva:
    """Make and store new items on a candidate's work; none is accepted yet."""
    work, digest = work_of(team, pack)
    viva = Viva(submission=digest, questions=items.make(work, say=say))
    _keep(team.report_folder(pack) / NAME, viva)
    team.audit(who, f"made {len(viva.questions.items)} viva items on {team.pack(pack).pseudonym}")
    return viva


def make_fixed(team: Team, role: str, who: str, say: Callable[[str], None]) -> Viva:
    """Make and store new items on the reference, for all candidates of a role."""
    viva = Viva(submission="", questions=items.make(reference(team, role), FIXED_MOST, say))
    _keep(fixed_path(team, role), viva)
    team.audit(who, f"made {len(viva.questions.items)} viva items for the role {role}")
    return viva


def own_path(team: Team, pack: UUID) -> Path:
    """Return the path of the items on a candidate's work."""
    return team.report_path(pack).with_name(NAME)


def fixed_path(team: Team, role: str) -> Path:
    """Return the path of the items on the reference."""
    return team.role_path(role).with_name(NAME)


def read(path: Path) -> Viva | None:
    """Read items; return None if there are none. Raises VivaError if the file is damaged."""
    try:
        return Viva.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise VivaError(f"{path} is damaged: make the items anew with --make.") from None


def accept(team: Team, path: Path, numbers: Collection[int], who: str) -> Viva:
    """Store which items a person has accepted. Raises VivaError for unknown items."""
    viva = read(path)
    if viva is None:
        raise VivaError("There are no items to accept yet: make them with --make.")
    known = {item.number for item in viva.questions.items}
    if unknown := sorted(set(numbers) - known):
        raise VivaError(f"There is no item {unknown[0]}: they are numbered 1 to {len(known)}.")
    accepted = viva.model_copy(update={"accepted": sorted(set(numbers))})
    _keep(path, accepted)
    named = ", ".join(map(str, accepted.accepted)) or "none"
    team.audit(who, f"accepted the viva items {named} of {path.parent.name}")
    return accepted


def file(team: Team, pack: UUID, answers: Path, who: str) -> Filed:
    """Score and store the file that the page saved.

    Raises VivaError for another candidate's file, for items that were not accepted, without
    predictions or without a mark for each reason; CurriculumError with the line for another
    invalid file.
    """
    record = team.pack(pack)
    saved = load(answers, VivaFile)
    if saved.candidate != record.pseudonym:
        raise VivaError(f"{answers} is about {saved.candidate}, not about {record.pseudonym}.")
    own, fixed = read(own_path(team, pack)), read(fixed_path(team, record.role))
    if own is None:
        raise VivaError("There are no items on this work: make them with --make.")
    score = VivaScore(own=_score(saved.own, own), fixed=_score(saved.fixed, fixed))
    if score.own is None and score.fixed is None:
        raise VivaError(f"{answers} has no prediction.")
    stored = Filed(
        filed=datetime.now(UTC), by=who, submission=own.submission, answers=saved, score=score
    )
    _keep(team.report_folder(pack) / ANSWERS, stored)
    team.audit(who, f"filed the viva of {record.pseudonym}")
    return stored


def filed(team: Team, pack: UUID) -> Filed | None:
    """Return the stored answers, or None. Raises VivaError if the file is damaged."""
    path = team.report_path(pack).with_name(ANSWERS)
    try:
        return Filed.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError):
        raise VivaError(f"{path} is damaged: file the answers again with --file.") from None


def score_of(team: Team, pack: UUID, submission: str) -> VivaScore | None:
    """Return the score of the viva on this submission, or None."""
    stored = filed(team, pack)
    return stored.score if stored is not None and stored.submission == submission else None


def truth(item: PredictionItem) -> TrueOutcome:
    """Return what a prediction on the item is compared with."""
    outcome = item.outcome
    return TrueOutcome(
        kind=outcome.kind,
        lines=outcome.lines,
        factor=outcome.factor,
        width=item.width,
        follow_up=item.follow_up.kind if item.follow_up else None,
    )


def _score(answers: VivaAnswers | None, viva: Viva | None) -> ScoredPredictions | None:
    if answers is None or not answers.said:
        return None
    if viva is None or viva.digest != answers.items:
        raise VivaError("These are answers to other items: they were made anew since.")
    truths = {item.number: truth(item) for item in viva.items}
    numbers = [prediction.item for prediction in answers.said]
    if unaccepted := [number for number in numbers if number not in truths]:
        raise VivaError(f"Item {unaccepted[0]} was not accepted: nobody may be asked it.")
    if len(set(numbers)) < len(numbers):
        raise VivaError("An item is answered twice.")
    if unmarked := [one.item for one in answers.said if one.reasoning is None]:
        raise VivaError(f"Item {unmarked[0]} has no mark for its reason, which comes first.")
    return scored(answers.said, truths)


def _keep(path: Path, document: Strict) -> None:
    text = document.model_dump_json(indent=1) + "\n"
    whole_file.replace(path, text.encode(), 0o600)
