"""Refusals of the portal that `hotloop.service.web.answers` has no sentence for."""

FOR_MEMBERS = "These pages are for the members of a team."

OVER = "The time of this link is over. Ask the team that sent it."

NO_CANDIDATE = "There is no such candidate, or all about them was deleted."

DAMAGED = (
    "Something of the team's is not as it must be, and nothing was taken: keep your work, "
    "and write to the team."
)
"""Message for a candidate, who did not cause the error."""
