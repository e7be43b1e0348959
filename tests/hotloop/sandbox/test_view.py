"""What a sandboxed program can see: the allow-list, and none of Hotloop's secrets."""

import ast
import json
import os
import socket
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import hotloop
from hotloop.sandbox.view import View, base_view, below

pytestmark = pytest.mark.sandbox
PACKAGE = Path(hotloop.__file__).parent


def test_the_root_holds_little(run: Callable[..., Any]) -> None:
    ran = run("import os; print(*sorted(os.listdir('/')))")
    tops = {inside.parts[1] for inside, _ in base_view().visible}
    system = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt"}
    own = {"proc", "dev", "tmp", "home"}
    assert set(ran.text.split()) <= system | own | tops
    assert not {"root", "var", "srv", "mnt", "run", "boot"} & (set(ran.text.split()) - tops)


@pytest.mark.parametrize(
    "path",
    [
        "/etc/shadow",
        "/etc/hostname",
        "/etc/environment",
        "/var/lib",
        "/root/.bashrc",
        "/sys/kernel",
        "/proc/kcore",
        str(PACKAGE / "judge" / "verdict.py"),
        str(PACKAGE / "tasks" / "modules"),
        str(PACKAGE.parents[1] / "solutions"),
        "/opt/hotloop/hotloop/judge",
    ],
)
def test_secrets_do_not_exist(run: Callable[..., Any], path: str) -> None:
    ran = run(
        f"""
import os
try:
    print(os.listdir("{path}") if os.path.isdir("{path}") else open("{path}", "rb").read(1))
except OSError as error:
    print("refused", type(error).__name__)
"""
    )
    assert ran.text.startswith("refused"), ran.text


def test_a_gradebook_is_not_seen(run: Callable[..., Any], tmp_path: Path) -> None:
    gradebook = tmp_path / "gradebook.db"
    gradebook.write_text("points")
    ran = run(f"import os; print(os.path.exists({str(gradebook)!r}), sorted(os.listdir('/tmp')))")
    # If Python itself is below /tmp, it is visible.
    python = {inside.parts[2] for inside, _ in base_view().visible if inside.parts[1] == "tmp"}
    assert ran.text == f"False {sorted(python)}\n"


def test_of_hotloop_only_the_worker_and_the_simulator(run: Callable[..., Any]) -> None:
    ran = run("""
import importlib, os, hotloop
print(hotloop.__file__)
print(*sorted(set(os.listdir(os.path.dirname(hotloop.__file__))) - {"__pycache__"}))
for name in ("core.wire", "judge", "tasks", "sandbox", "course", "cli", "engines.serving", "_data"):
    try:
        importlib.import_module("hotloop." + name)
        print("can import", name)
    except ModuleNotFoundError:
        pass
""")
    assert ran.text.splitlines() == [
        "/opt/hotloop/hotloop/__init__.py",
        "__init__.py core engines worker",
        "can import core.wire",
    ]


def test_what_is_seen_cannot_be_written(run: Callable[..., Any], submission: Path) -> None:
    (submission / "answer.py").write_text("x = 1")
    ran = run(
        """
import os, sys
def probe(folder):
    name = os.path.join(folder, "made-inside")
    try:
        open(name, "w").close()
        os.unlink(name)
        return True
    except OSError:
        return False
folders = ["/", "/dev", "/etc", "/usr", "/usr/lib", "/opt/hotloop", "/submission", "/home", "/proc",
           "/run/given", sys.prefix, *filter(os.path.isdir, sys.path)]
print([f for f in folders if probe(f)])
print([f for f in ("/tmp", "/dev/shm", "/home/learner", os.getcwd()) if not probe(f)])
try:
    open("/submission/answer.py", "a")
except OSError as error:
    print(error.strerror)
""",
        files=submission,
        read_only={"/run/given": submission},
    )
    assert ran.text.splitlines()[:2] == ["[]", "[]"], ran.text
    assert "denied" in ran.text or "Read-only" in ran.text


def test_given_folders(run: Callable[..., Any], tmp_path: Path) -> None:
    seen, open_to_all = tmp_path / "seen", tmp_path / "open"
    for folder in (seen, open_to_all):
        folder.mkdir()
    open_to_all.chmod(0o777)
    (seen / "note").write_text("hello")
    ran = run(
        "print(open('/run/seen/note').read()); open('/run/open/made', 'w').write('by me')",
        read_only={"/run/seen": seen},
        writable={"/run/open": open_to_all},
    )
    assert (ran.status, ran.text) == (0, "hello\n")
    assert (open_to_all / "made").read_text() == "by me"


def test_the_environment_is_clean(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_GRADER", "42")
    ran = run(
        "import os, json; print(json.dumps(dict(os.environ)))", environment={"OMP_NUM_THREADS": "1"}
    )
    inside = run("""
import glob
for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        print(open(path).read().replace("\\0", "\\n"))
    except PermissionError:
        pass
""")
    assert "HOME=/home/learner" in inside.text
    assert "SECRET" not in inside.text
    environment = json.loads(ran.text)
    assert environment["OMP_NUM_THREADS"] == "1"
    assert environment["HOME"] == environment["PWD"] == "/home/learner"
    known = {"HOME", "USER", "LOGNAME", "PATH", "LANG", "TMPDIR", "PYTHONPATH", "PWD"}
    assert set(environment) <= known | {"OMP_NUM_THREADS", "LC_CTYPE"}


def test_no_network(run: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        ran = run(f"""
import socket
for address in (("127.0.0.1", {port}), ("192.0.2.1", 80), ("1.1.1.1", 53)):
    try:
        socket.create_connection(address, timeout=2).close()
        print("reached", address)
    except OSError as error:
        print(type(error).__name__)
print(socket.if_nameindex())
""")
    assert "reached" not in ran.text
    assert ran.text.splitlines()[-1] == "[(1, 'lo')]"


def test_abstract_sockets_are_not_shared(run: Callable[..., Any]) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0hotloop-test-{os.getpid()}")
        listener.listen()
        ran = run(f"""
import socket
try:
    socket.socket(socket.AF_UNIX).connect("\\0hotloop-test-{os.getpid()}")
    print("reached")
except OSError as error:
    print(type(error).__name__)
""")
    assert ran.text == "ConnectionRefusedError\n"


def test_other_processes_are_not_seen(run: Callable[..., Any]) -> None:
    ran = run(f"""
import os, signal
pids = sorted(int(n) for n in os.listdir("/proc") if n.isdecimal())
print(pids == [1, os.getpid()], os.path.exists("/proc/{os.getpid()}"))
for pid in (1, {os.getpid()}):
    try:
        os.kill(pid, signal.SIGKILL)
        os.kill(pid, 0)
        print("still there", pid)
    except OSError as error:
        print(type(error).__name__)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
try:
    os.kill(-1, signal.SIGTERM)
except OSError as error:
    print(type(error).__name__)
print("survived")
""")
    lines = ran.text.splitlines()
    assert lines[0] == "True False"
    # Process 1 cannot be killed from inside its namespace, and as root's not even be signaled.
    assert lines[1] in {"still there 1", "PermissionError"}
    assert lines[2] == "ProcessLookupError"
    assert lines[-1] == "survived"


def test_system_settings_cannot_be_changed(run: Callable[..., Any]) -> None:
    ran = run("""
import os
writable = []
for folder, _, names in os.walk("/proc/sys"):
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, "r+b", buffering=0) as stream:
                stream.write(stream.read())
            writable.append(path)
        except OSError:
            pass
print(*writable, sep="\\n")
""")
    # A plain user owns the namespaces, and so the settings that apply only in them.
    own = (
        "net/",
        "user/",
        "fs/mqueue/",
        "kernel/msg",
        "kernel/shm",
        "kernel/sem",
        "kernel/pid_max",
    )
    allowed = own if os.geteuid() != 0 else ()
    others = [path for path in ran.text.split() if "auto_msgmni" not in path]
    assert [
        p for p in others if not p.startswith(tuple(f"/proc/sys/{name}" for name in allowed))
    ] == []


def test_descriptors_keep_their_numbers(run: Callable[..., Any]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ran = run(
            f"""
import os, socket
kept = [int(n) for n in os.listdir("/proc/self/fd")]
print(sorted(fd for fd in kept if os.path.exists(f"/proc/self/fd/{{fd}}")))
socket.socket(fileno={theirs.fileno()}).sendall(b"hello")
""",
            pass_fds=(theirs.fileno(),),
        )
        assert ours.recv(10) == b"hello"
    assert json.loads(ran.text)[:3] == [0, 1, 2]
    assert len(json.loads(ran.text)) <= 4


def test_the_same_interpreter_runs_inside(run: Callable[..., Any]) -> None:
    ran = run("import sys; print(sys.prefix, sys.base_prefix, sys.version_info[:3])")
    assert ran.text.split(" ", 2)[:2] == [sys.prefix, sys.base_prefix]


def test_below() -> None:
    assert below(Path("/a/b"), [Path("/a")])
    assert below(Path("/a"), [Path("/a")])
    assert not below(Path("/ab"), [Path("/a")])


def test_the_view_names_existing_paths_only() -> None:
    view: View = base_view()
    assert all(outside.exists() for _, outside in view.visible)
    assert all(path.is_dir() for path in view.hidden)
    assert view.packages[0] == "/opt/hotloop"


UNCONFINED = {
    "hotloop.author.lease",
    "hotloop.cli",
    "hotloop.engines.simulate.preparation",
    "hotloop.judge",
    "hotloop.service.course.nodes",
    "hotloop.service.takehome.grader",
}
"""Programs of ours that start no learner's code in their own process and need no sandbox."""


def _programs() -> set[str]:
    """Return each module that the package starts with `python -m`."""
    programs: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Tuple | ast.List):
                words = [each.value for each in node.elts if isinstance(each, ast.Constant)]
                programs |= {
                    name
                    for flag, name in pairwise(words)
                    if flag == "-m" and isinstance(name, str) and name.startswith("hotloop.")
                }
    return programs


def test_each_program_that_is_started_in_a_sandbox_is_seen_there(run: Callable[..., Any]) -> None:
    programs = sorted(_programs() - UNCONFINED)
    assert "hotloop.engines.prover.worker" in programs
    ran = run(
        f"""
import importlib.util
print(*(name for name in {programs} if importlib.util.find_spec(name) is None))
"""
    )
    assert ran.text.strip() == ""
