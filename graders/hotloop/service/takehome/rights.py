"""What a member's account may do in the portal."""

from __future__ import annotations

from typing import Literal, get_args

from fastapi import params

from hotloop.core.user_error import UserError
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.site import Who

Right = Literal["invite", "review", "reveal", "erase"]
RIGHTS: tuple[Right, ...] = get_args(Right)

_MEANS: dict[Right, str] = {
    "invite": "invite candidates, and handle their links and deadlines",
    "review": "read reports and file scorecards",
    "reveal": "see a candidate's name",
    "erase": "delete a candidate's data",
}


def parsed(text: str) -> list[Right]:
    """Return the rights in a list with commas. Raises UserError that lists those that there are."""
    named = set(text.replace(" ", "").split(","))
    chosen: list[Right] = [right for right in RIGHTS if right in named]
    if named != set(chosen):
        raise UserError(f"Rights are a list of these, with commas: {', '.join(RIGHTS)}.")
    return chosen


def needs(right: Right) -> params.Depends:
    """Return a dependency that refuses accounts without the right."""

    def has_right(who: Who) -> None:
        if right not in who.rights:
            raise RequestRefused(
                403,
                f"This account may not {_MEANS[right]}: whoever runs the portal can allow it, with "
                f"`hotloop takehome account {who.name} --may`.",
            )

    return params.Depends(has_right)
