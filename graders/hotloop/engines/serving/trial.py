"""Tests whether a server works here: start it, send a request, stop it."""

from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.inference import Client, InferenceFailed, texts
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import ServerFailed, TritonServer
from hotloop.sandbox.level import level

REPOSITORY = Path(__file__).with_name("trial_repository")
MODEL = "echo"
_QUESTION = "a text with ünïcödé"


@dataclass(frozen=True)
class RepositoryTrial:
    """Result of a trial. ready_s: seconds from start to ready. failure: "" if all went well."""

    isolation: str
    ready_s: float
    failure: str


def run(environment: ServingEnvironment) -> RepositoryTrial:
    """Run a trial, in the sandbox if there is one. Errors are returned, not raised."""
    isolation = level()[0]
    try:
        with TritonServer(REPOSITORY, environment, Options(isolation=isolation)) as server:
            ready_s = server.wait_ready()
            ask(server)
    except (ServerFailed, InferenceFailed, OSError, ValueError) as error:
        return RepositoryTrial(isolation, 0.0, f"{type(error).__name__}: {error}")
    return RepositoryTrial(isolation, ready_s, "")


def ask(server: TritonServer) -> None:
    """Send a request to the trial's model.

    Raises ValueError if the output differs from the input.
    """
    with Client(server) as client:
        got = client.infer(MODEL, {"TEXT": texts([_QUESTION])})["SAME"]
    if got.tolist() != [[_QUESTION.encode()]]:
        raise ValueError(f"the server answered {got.tolist()!r}"[:200])
