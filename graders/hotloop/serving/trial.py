"""Whether a server really runs here: one is started, asked, and stopped."""

from dataclasses import dataclass
from pathlib import Path

from hotloop.sandbox.level import level
from hotloop.serving.environment import Environment
from hotloop.serving.inference import Client, InferenceFailed, texts
from hotloop.serving.options import Options
from hotloop.serving.server import Server, ServerFailed

REPOSITORY = Path(__file__).with_name("trial_repository")
MODEL = "echo"
_QUESTION = "a text with ünïcödé"


@dataclass(frozen=True)
class Trial:
    """ready_s: from the start until the server was ready. failure: empty when all went well."""

    isolation: str
    ready_s: float
    failure: str


def run(environment: Environment) -> Trial:
    """In the sandbox, where there is one."""
    isolation = level()[0]
    try:
        with Server(REPOSITORY, environment, Options(isolation=isolation)) as server:
            ready_s = server.wait_ready()
            ask(server)
    except (ServerFailed, InferenceFailed, OSError, ValueError) as error:
        return Trial(isolation, 0.0, f"{type(error).__name__}: {error}")
    return Trial(isolation, ready_s, "")


def ask(server: Server) -> None:
    """One request to the trial's model. ValueError when the answer is not the question."""
    with Client(server) as client:
        got = client.infer(MODEL, {"TEXT": texts([_QUESTION])})["SAME"]
    if got.tolist() != [[_QUESTION.encode()]]:
        raise ValueError(f"the server answered {got.tolist()!r}"[:200])
