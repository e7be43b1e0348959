"""An incomplete environment is never used, and two processes do not make it at once."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hotloop.engines.serving import backend_folder, environment, interpreter
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.interpreter import Interpreter
from hotloop.engines.serving.unavailable import ServingUnavailable

FAKE_PACKAGES = "venv/lib/python3.11/site-packages"


@pytest.fixture
def made(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Records the commands of an installation; they create empty files instead."""
    commands: list[list[str]] = []

    def run(command: list[str]) -> None:
        commands.append(command)
        if "venv" in command:
            _fake(Path(command[-1]).parent)

    monkeypatch.setattr(environment, "_run", run)
    return commands


def _fake(root: Path) -> None:
    packages = root / FAKE_PACKAGES
    server = packages / "pytriton" / "tritonserver"
    stub = server / "python_backend_stubs" / "3.11" / "triton_python_backend_stub"
    for file in (
        *(server / "bin" / "tritonserver", server / "backends" / "python" / "libtriton_python.so"),
        *(stub, server / "python_backend_stubs" / "3.12" / stub.name),
        packages / "nvidia_pytriton.libs" / "libb64-98cb6333.so.0d",
        packages / "nvidia_pytriton.libs" / "libcudart-09529672.so.12.6.77",
        root / "venv" / "bin" / "python",
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


def test_none_is_there_and_the_command_is_named(elsewhere: Path) -> None:
    with pytest.raises(ServingUnavailable, match="hotloop doctor --install tritonserver"):
        environment.find()
    assert not elsewhere.exists(), "looking makes nothing"


def test_installing_twice_makes_it_once(made: list[list[str]], elsewhere: Path) -> None:
    first = environment.install()
    assert len(made) == 2
    assert environment.install() == first == environment.find()
    assert len(made) == 2
    assert (first.root / "lib" / "libb64.so.0d").resolve().name == "libb64-98cb6333.so.0d"
    assert (first.backends / "onnxruntime" / "model.py").is_file()
    assert first.stub.is_file()
    assert not list(elsewhere.glob("making-*"))


def test_a_failed_install_leaves_nothing_that_is_taken_for_one(
    made: list[list[str]], elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(command: list[str]) -> None:
        if "venv" in command:
            _fake(Path(command[-1]).parent)
            return
        raise ServingUnavailable("the packages cannot be installed", environment.INSTALL)

    monkeypatch.setattr(environment, "_run", fail)
    with pytest.raises(ServingUnavailable, match="cannot be installed"):
        environment.install()
    with pytest.raises(ServingUnavailable, match="not installed"):
        environment.find()
    assert [path.name for path in elsewhere.iterdir()] == ["lock"]


def test_what_a_killed_install_left_is_removed(made: list[list[str]], elsewhere: Path) -> None:
    left = elsewhere / "making-abc"
    _fake(left)
    older = elsewhere / "tritonserver-0123456789abcdef"
    _fake(older)
    (elsewhere / "mine").mkdir()
    found = environment.install()
    assert sorted(p.name for p in elsewhere.iterdir()) == sorted(["lock", "mine", found.root.name])


def test_one_without_its_server_is_none(made: list[list[str]]) -> None:
    found = environment.install()
    found.tritonserver.unlink()
    with pytest.raises(ServingUnavailable):
        environment.find()
    again = environment.install()
    assert again.tritonserver.exists()
    assert len(made) == 4


def test_other_pins_are_another_environment(
    made: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = environment.install()
    pins = tmp_path / "requirements.txt"
    pins.write_text(environment.REQUIREMENTS.read_text().replace("numpy==1.26.4", "numpy==1.26.3"))
    monkeypatch.setattr(environment, "REQUIREMENTS", pins)
    with pytest.raises(ServingUnavailable):
        environment.find()
    second = environment.install()
    assert second.root != first.root
    assert not first.root.exists()


def test_a_changed_backend_of_ours_needs_no_new_environment(
    made: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = environment.install()
    own = tmp_path / "backends"
    (own / "onnxruntime").mkdir(parents=True)
    (own / "onnxruntime" / "model.py").write_text("# changed\n")
    monkeypatch.setattr(backend_folder, "OWN", own)
    second = environment.find()
    assert second.root == first.root
    assert (second.backends / "onnxruntime" / "model.py").read_text() == "# changed\n"


@pytest.mark.parametrize(("version", "real"), [("2.51.0", True), ("2.75.0", False)])
def test_nvidias_backend_of_the_same_release_replaces_ours(
    made: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, real: bool
) -> None:
    ours = environment.install().backends
    theirs = tmp_path / "tritonserver"
    (theirs / "backends" / "onnxruntime").mkdir(parents=True)
    (theirs / "backends" / "onnxruntime" / "libtriton_onnxruntime.so").write_bytes(b"\x7fELF")
    (theirs / "TRITON_VERSION").write_text(f"{version}\n")
    monkeypatch.setattr(backend_folder, "NVIDIA", theirs)
    found = environment.find().backends
    assert (found != ours) == real
    assert (found / "onnxruntime" / "libtriton_onnxruntime.so").exists() == real
    assert (found / "onnxruntime" / "model.py").exists() != real


def test_every_package_is_pinned_and_numpy_is_below_two() -> None:
    pins = dict(line.split("==") for line in environment.requirements())
    assert all(re.fullmatch(r"[\w.+-]+", version) for version in pins.values())
    assert pins["numpy"].startswith("1.")
    assert pins["tritonclient"] == "2.51.0"
    assert pins["nvidia-pytriton"] == "0.7.0"


def test_a_python_of_another_version_is_refused_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = Interpreter(Path("/usr/bin/python3.9"), Path("/usr"), "3.9.2", Path("/usr/lib"))
    monkeypatch.setattr(interpreter, "_ask", lambda _executable: other)
    monkeypatch.setenv(interpreter.VARIABLE, "/usr/bin/python3.9")
    interpreter.interpreter.cache_clear()
    with pytest.raises(ServingUnavailable, match=f"unset {interpreter.VARIABLE}"):
        interpreter.interpreter()
    interpreter.interpreter.cache_clear()


def test_the_own_python_is_the_one_under_the_virtual_environment() -> None:
    interpreter.interpreter.cache_clear()
    found = interpreter.interpreter()
    code = "import sys, json; print(json.dumps([sys.prefix, sys.version_info[:3]]))"
    done = subprocess.run(
        [str(found.executable), "-I", "-c", code], capture_output=True, text=True, check=True
    )
    prefix, version = json.loads(done.stdout)
    assert Path(prefix).resolve() == found.home.resolve()
    assert ".".join(map(str, version)) == found.version
    assert prefix != sys.prefix or sys.prefix == sys.base_prefix


@pytest.mark.slow
@pytest.mark.serving
def test_the_installed_one_has_what_it_says(installed: ServingEnvironment) -> None:
    listed = subprocess.run(
        [str(installed.python), "-m", "pip", "list", "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
    )

    def canonical(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    versions = {canonical(p["name"]): p["version"] for p in json.loads(listed.stdout)}
    pins = [line.split("==") for line in environment.requirements()]
    assert {name: versions.get(canonical(name)) for name, _ in pins} == dict(pins)
