"""Which interviews a question fits: the roles, and the rounds of a company's process."""

from typing import Literal

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.tasks import curriculum

Round = Literal["phone_screen", "technical", "debugging", "system_design"]

ROUNDS: dict[Round, str] = {
    "phone_screen": "Phone screen",
    "technical": "Technical interview",
    "debugging": "Profiling and debugging",
    "system_design": "System design",
}
"""The rounds with their titles, in the order in which companies usually hold them."""

_LONGEST_SCREEN_MINUTES = 7


def round_of(entry: CatalogEntry) -> Round:
    """Return the round in which an interviewer asks the question.

    A design question is for system design; a profile or a faulty kernel for debugging. Other
    questions are for a phone screen if they are short and not advanced, else for a technical
    interview.
    """
    question = entry.question
    if question.kind == "design":
        return "system_design"
    if question.kind in ("profile", "fault"):
        return "debugging"
    if question.level != "advanced" and question.minutes <= _LONGEST_SCREEN_MINUTES:
        return "phone_screen"
    return "technical"


def roles_of(entry: CatalogEntry) -> tuple[str, ...]:
    """Return the ids of the roles whose interviews the question fits, in their order."""
    return tuple(
        role.id
        for role in curriculum.curriculum().roles
        if (entry.module in role.modules if entry.module else entry.track in role.tracks)
    )
