"""Rung: a real server over the candidate's repository gives right answers."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from hotloop.judge.fault import made
from hotloop.judge.inquiry import Inquiry, ask
from hotloop.judge.served import over, require_sound
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Serves:
    """repository: puts it together. inquiries: made anew for each judging, from secrets."""

    repository: Callable[[Session], Path]
    inquiries: Callable[[Session], Iterable[Inquiry]]
    after: tuple[str, ...] = ()
    timeout_s: float = 10.0

    def __call__(self, session: Session) -> str:
        """Start it and ask; the first wrong answer rules."""
        folder = self.repository(session)
        require_sound(folder)
        server = over(folder, session)
        requests = 0
        for inquiry in made(self.inquiries(session)):
            session.progress(inquiry.label)
            ask(server, inquiry, session.timeout(self.timeout_s))
            requests += len(inquiry.exchanges)
        server.stop()
        said = f"Right on all {requests} hidden requests to a running server."
        session.note(requests=requests)
        return said
