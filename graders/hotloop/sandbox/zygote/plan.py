"""Builds the request for a child, so that it finds the same environment as under bubblewrap."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hotloop.sandbox import bubblewrap, seccomp
from hotloop.sandbox.confinement import HOME, SUBMISSION, Confinement
from hotloop.sandbox.view import base_view, below
from hotloop.sandbox.zygote.parent import ZygoteProcess
from hotloop.sandbox.zygote.refusal import ZygoteRefused
from hotloop.worker.zygote.request import ChildRequest, Mount

_OWN = tuple(map(Path, ("/proc", "/dev", "/tmp", HOME)))
READ_WHEN_ASKED = frozenset(
    {"HOTLOOP_SIMULATOR_PREBUILT", "HOTLOOP_JUDGE", "HOTLOOP_REPLAY", "IPYTHONDIR"}
)
"""Environment variables that no module reads at import.

Any other may have affected what a zygote imported, so each set of their values has its own zygote.
"""


def at_import(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the part of an environment that a zygote must have been started with."""
    return {name: environment[name] for name in sorted(environment) if name not in READ_WHEN_ASKED}


def can_serve(confinement: Confinement, preload: Sequence[str]) -> bool:
    """Return True if a zygote can run this confinement.

    It must be a Python program without devices and writable folders: `-c TEXT`, or `-m MODULE` with
    a preloaded module.
    """
    if confinement.writable or confinement.devices or len(confinement.argv) < 3:
        return False
    python, option, program, *_ = confinement.argv
    preloaded = program in preload or f"{program}.__main__" in preload
    return python == sys.executable and (option == "-c" or (option == "-m" and preloaded))


def request(
    confinement: Confinement, staged: Path | None, uid: int | None, zygote: ZygoteProcess
) -> ChildRequest:
    """Return the whole request.

    Raises ZygoteRefused if the child needs a file that the zygote cannot see.
    """
    view = base_view()
    inside_uid = bubblewrap.USER_ID if uid is None else uid
    passwd, group = bubblewrap.user_files(inside_uid)
    _, option, program, *arguments = confinement.argv
    trees = [inside for inside, _ in view.visible]
    return ChildRequest(
        option=option,
        program=program,
        arguments=arguments,
        environment={**bubblewrap.environment(confinement), "PWD": HOME},
        uid=uid,
        inside_uid=inside_uid,
        trees=[str(tree) for tree in trees if not below(tree, [t for t in trees if t != tree])],
        folders=list(bubblewrap.folders(confinement, view)),
        links=[(str(path), target) for path, target in view.links],
        files=[("/etc/passwd", passwd), ("/etc/group", group)],
        mounts=list(_mounts(confinement, staged, trees, zygote)),
        tmp_bytes=confinement.tmp_bytes,
        filter=seccomp.program().hex(),
        fds=list(confinement.pass_fds),
    )


def _mounts(
    confinement: Confinement, staged: Path | None, trees: list[Path], zygote: ZygoteProcess
) -> Iterator[Mount]:
    submission = {} if staged is None else {SUBMISSION: staged}
    for inside, outside in {**submission, **confinement.read_only}.items():
        if os.path.normpath(inside) != inside or below(Path(inside), [*trees, *_OWN]):
            raise ZygoteRefused(f"{inside} is below what every sandbox has")
        yield _mount(inside, outside, zygote)


def _mount(inside: str, outside: Path, zygote: ZygoteProcess) -> Mount:
    path = outside.resolve()
    source = zygote.inside(path)
    if source is None:
        raise ZygoteRefused(f"{inside} lies in none of the folders that a zygote sees")
    try:
        status = path.lstat()
    except OSError as error:
        raise ZygoteRefused(f"{inside} cannot be given: {error.strerror}") from None
    return Mount(source, inside, status.st_dev, status.st_ino)
