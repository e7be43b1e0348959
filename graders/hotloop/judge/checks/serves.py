"""A real server gives correct answers from the candidate's repository."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hotloop.engines.serving.options import Options
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.inference_request import Inquiry, ask
from hotloop.judge.model_servers import over, require_sound
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Serves(Check):
    """A Triton server that serves the candidate's repository answers every inquiry correctly.

    repository: builds the candidate's repository.

    inquiries: generated anew for each judging, from secret values.
    timeout_s: seconds for each request. files_bytes: of the repository at most.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    reads_answer: ClassVar[frozenset[str]] = frozenset({"repository"})
    repository: Callable[[Session], Path]
    inquiries: Callable[[Session], Iterable[Inquiry]]
    timeout_s: float = 10.0
    files_bytes: int = Options.files_bytes

    def __call__(self, session: Session) -> str:
        """Start the server and make all requests; raise Ruling at the first wrong answer."""
        folder = self.repository(session)
        require_sound(folder)
        server = over(folder, session, files_bytes=self.files_bytes)
        requests = 0
        for inquiry in self.inquiries(session):
            session.progress(inquiry.label)
            ask(server, inquiry, session.timeout(self.timeout_s))
            requests += len(inquiry.exchanges)
        server.stop()
        session.note(requests=requests)
        return f"Right on all {requests} hidden requests to a running server."
