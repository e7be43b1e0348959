"""A repository that classifies sentences by topic, and servers over it."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.engines.serving import environment
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.network_file import onnx_file
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
from hotloop.sandbox.level import level
from hotloop.tasks.modules.triton_ensemble.given_files import PROGRAMS

HERE = Path(__file__).parent
MODULE = paths.curriculum() / "triton_ensemble"
MODEL = MODULE / "model"
HEALTHY = MODULE / "recordings" / "repositories" / "healthy"
StartServer = Callable[..., TritonServer]


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    """A copy of a valid repository: preprocess, bert, postprocess, and their ensemble."""
    folder = tmp_path / "repository"
    shutil.copytree(HEALTHY, folder)
    shutil.copytree(PROGRAMS / "repository" / "topics", folder / "topics")
    shutil.copytree(HERE / "topics", folder, dirs_exist_ok=True)
    (folder / "bert" / "1").mkdir()
    (folder / "bert" / "1" / "model.onnx").write_bytes(onnx_file(MODEL))
    shutil.copyfile(MODEL / "tokenizer.json", folder / "preprocess" / "1" / "tokenizer.json")
    return folder


@pytest.fixture
def start(installed: ServingEnvironment) -> Iterator[StartServer]:
    """Starts servers, in the sandbox unless told otherwise; all are stopped at the end."""
    running: list[TritonServer] = []

    def run(repository: Path, **options: object) -> TritonServer:
        if options.get("isolation") != "none" and level()[0] == "none":
            pytest.skip(level()[1])
        running.append(TritonServer(repository, installed, Options(**options)))  # type: ignore[arg-type]
        return running[-1]

    yield run
    for server in running:
        server.stop()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An unused path for the server's environment."""
    folder = tmp_path / "serving"
    monkeypatch.setenv("HOTLOOP_SERVING", str(folder))
    assert environment.folder() == folder
    return folder
