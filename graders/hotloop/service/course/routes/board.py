"""Routes of the class board: join it, leave it, look at it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import StringConstraints

from hotloop.core.document import Strict
from hotloop.learn.remote.job import Boards
from hotloop.service.course import board
from hotloop.service.course.routes.hand_ins import Module
from hotloop.service.course.service import Asking, Here

router = APIRouter(prefix="/api/board", tags=["board"])


class BoardName(Strict):
    """The name that others see."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,29}$")]


@router.post("", status_code=204)
def join(service: Here, who: Asking, body: BoardName) -> None:
    """Join the board under a name of your choice."""
    board.join(service.engine, who.account, body.name)


@router.delete("", status_code=204)
def leave(service: Here, who: Asking) -> None:
    """Leave the board."""
    board.leave(service.engine, who.account)


@router.get("/{module}")
def look(service: Here, _who: Asking, module: Module) -> Boards:
    """The boards of a module."""
    return Boards(boards=board.boards(service.engine, module))
