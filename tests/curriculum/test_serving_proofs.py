"""Proofs about the server say so where there is none, and the rest of them still holds."""

import importlib
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.engines.serving import preflight, shm
from hotloop.engines.serving.server import TritonServer
from hotloop.engines.serving.unavailable import ServingUnavailable

HELPER = "live.real_server"
PROOFS = sorted((paths.curriculum() / "triton_ensemble" / "proofs").glob("*.py"))
ABOUT_THE_SERVER = [path for path in PROOFS if HELPER in path.read_text(encoding="utf-8")]


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the helper has found before is forgotten, and so is what it finds here."""
    monkeypatch.setenv("HOTLOOP_SERVING", str(tmp_path))
    sys.modules.pop(HELPER, None)
    yield
    sys.modules.pop(HELPER, None)


@pytest.fixture
def installed() -> None:
    try:
        preflight.require()
    except ServingUnavailable as gap:
        pytest.skip(str(gap))


@pytest.mark.parametrize("path", ABOUT_THE_SERVER, ids=lambda path: path.stem)
@pytest.mark.usefixtures("nothing_installed")
def test_without_a_server_a_proof_says_that_it_has_not_measured(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runpy.run_path(str(path), run_name="__main__")
    said = capfd.readouterr().out.splitlines()
    unmeasured = [line for line in said if line.startswith("not measured here: ")]
    assert unmeasured, "it names what is missing"
    assert "hotloop doctor --install tritonserver" in unmeasured[0]
    assert not [line for line in said if "on the real server" in line]
    assert len(said) > len(unmeasured), "what needs no server is shown all the same"


@pytest.mark.slow
@pytest.mark.serving
@pytest.mark.usefixtures("installed")
def test_with_a_server_a_proof_measures(capfd: pytest.CaptureFixture[str]) -> None:
    """One of them; test_proofs runs all."""
    path = next(path for path in ABOUT_THE_SERVER if path.stem == "batch_dimension")
    runpy.run_path(str(path), run_name="__main__")
    said = capfd.readouterr().out
    assert "on the real server: the same 15 answers" in said
    assert "not measured here" not in said


@pytest.mark.slow
@pytest.mark.serving
@pytest.mark.usefixtures("installed")
def test_a_proof_that_fails_leaves_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PROOFS[0].parent))
    helper = importlib.import_module(HELPER)
    models = {"sleeper": helper.python("max_batch_size: 1", helper.SLEEPER.format(seconds=0))}
    started: list[tuple[TritonServer, Path]] = []

    def proof() -> None:
        with helper.served(models) as running:
            started.append(running)
            raise AssertionError("a claim is wrong")

    with pytest.raises(AssertionError, match="a claim is wrong"):
        proof()
    server, repository = started[0]
    assert not server.alive
    assert not repository.exists()
    assert not list(Path("/dev/shm").glob(f"{shm.prefix(server.tag)}*"))
