"""The way into a sandboxed server's network namespace, with and without root."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hotloop.engines.serving import namespace_proxy
from hotloop.sandbox import bubblewrap

PROGRAM = Path(namespace_proxy.__file__)
INSIDE = """
import socket, time
listener = socket.create_server(("127.0.0.1", 8000))
print("listening", flush=True)
while True:
    taken, _ = listener.accept()
    taken.sendall(b"hello from inside")
    taken.close()
"""


@contextmanager
def network_of_its_own(*prefix: str) -> Iterator[int]:
    """Run a process that listens in a network with only a loopback; yield its id in this system."""
    bwrap = bubblewrap.program()
    if bwrap is None:
        pytest.skip("bubblewrap is not installed")
    command = [bwrap, "--unshare-net", "--unshare-user", "--dev-bind", "/", "/"]
    if not prefix:
        command.remove("--unshare-user")
    python = "/usr/bin/python3"
    process = subprocess.Popen(
        [*prefix, *command, python, "-c", INSIDE], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "listening\n":
            pytest.skip("no network of its own can be made here")
        yield process.pid
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def innermost(pid: int) -> int:
    """Return the listening process, a descendant of runuser and bubblewrap."""
    while children := Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        pid = int(children[0])
    return pid


def test_sockets_are_given_out_that_lead_inside() -> None:
    if os.geteuid() != 0:
        pytest.skip("the plain user's case is the next test")
    with network_of_its_own() as pid:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            fd = str(theirs.fileno())
            command = [sys.executable, "-I", str(PROGRAM), str(innermost(pid)), "--fd", fd]
            with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as way:
                theirs.close()
                for _ in range(3):
                    with namespace_proxy.ask(ours, 8000, 5.0) as sock:
                        assert sock.recv(100) == b"hello from inside"
                with pytest.raises(ConnectionRefusedError):
                    namespace_proxy.ask(ours, 9, 5.0)
                way.kill()
            with pytest.raises(OSError):  # noqa: PT011 - closed, or a broken pipe
                namespace_proxy.ask(ours, 8000, 5.0)


def test_a_plain_user_enters_the_network_of_his_own_namespace() -> None:
    prefix: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("runuser") is None:
            pytest.skip("only runuser makes a plain user of root")
        prefix = ["runuser", "-u", "nobody", "--"]
    copy = Path("/tmp") / f"hotloop-doorway-{os.getpid()}.py"
    shutil.copyfile(PROGRAM, copy)
    try:
        copy.chmod(0o644)
        with network_of_its_own(*(prefix or ["env"])) as pid:
            client = "import socket; print(socket.create_connection(('127.0.0.1', 8000)).recv(99))"
            python = "/usr/bin/python3"
            inside = [python, "-I", str(copy), str(innermost(pid)), "--", python, "-c", client]
            done = subprocess.run(
                [*prefix, *inside], capture_output=True, text=True, check=False, cwd="/"
            )
            assert done.stdout.strip() == "b'hello from inside'", done.stderr
            outside = subprocess.run(
                [python, "-c", client], capture_output=True, text=True, check=False
            )
            assert "ConnectionRefusedError" in outside.stderr or "hello" not in outside.stdout
    finally:
        copy.unlink()


@pytest.mark.parametrize("plain_user", [False, True])
def test_sockets_of_ours_listen_inside(plain_user: bool) -> None:
    prefix: list[str] = []
    if os.geteuid() != 0 and not plain_user:
        pytest.skip("the plain user's case is the other one")
    if os.geteuid() == 0 and plain_user:
        if shutil.which("runuser") is None:
            pytest.skip("only runuser makes a plain user of root")
        prefix = ["runuser", "-u", "nobody", "--"]
    python = "/usr/bin/python3"
    client = (
        "import socket, sys; port = int(sys.argv[1]);"
        "print(socket.create_connection(('127.0.0.1', port), 5).recv(99))"
    )
    copy = Path("/tmp") / f"hotloop-doorway-{os.getpid()}.py"
    shutil.copyfile(PROGRAM, copy)
    try:
        copy.chmod(0o644)
        with network_of_its_own(*(prefix or (["env"] if plain_user else []))) as pid:
            inside = [*prefix, python, "-I", str(copy), str(innermost(pid))]
            with listening(inside, "0", "0") as made:
                first, second = (sock.getsockname()[1] for sock in made)
                assert first != second
                asking = [*inside, "--", python, "-c", client, str(second)]
                with subprocess.Popen(asking, stdout=subprocess.PIPE, text=True, cwd="/") as asked:
                    made[1].settimeout(10)
                    taken, _ = made[1].accept()
                    with taken:
                        taken.sendall(b"hello from outside")
                    assert asked.communicate()[0].strip() == "b'hello from outside'"
                with pytest.raises(ConnectionRefusedError):
                    socket.create_connection(("127.0.0.1", first), 1)
            with pytest.raises(OSError, match="in use"), listening(inside, "8000"):
                pass
    finally:
        copy.unlink()


@contextmanager
def listening(inside: list[str], *ports: str) -> Iterator[list[socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        fd = theirs.fileno()
        subprocess.run([*inside, "--listen", str(fd), *ports], pass_fds=[fd], check=True, cwd="/")
        theirs.close()
        made = namespace_proxy.take(ours, len(ports))
    try:
        yield made
    finally:
        for sock in made:
            sock.close()
