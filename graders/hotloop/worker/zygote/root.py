"""Builds the file system of one child as bubblewrap would, from what the zygote sees."""

import os
from pathlib import Path

from hotloop.worker.zygote import calls
from hotloop.worker.zygote.request import HOME, ChildRequest, Mount

_NEW = "/dev/shm"
_READ_ONLY = calls.ATTR_RDONLY | calls.ATTR_NOSUID | calls.ATTR_NODEV
_TEMPORARY = calls.NOSUID | calls.NODEV
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_DEVICE_LINKS = (
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("core", "/proc/kcore"),
    ("ptmx", "pts/ptmx"),
)
_PROC_COVERED = ("sys", "sysrq-trigger", "irq", "bus")


class WrongFolder(RuntimeError):
    """A folder is not the one that the owner named: its device or inode differs."""


def build(request: ChildRequest) -> None:
    """Build the root file system and enter it.

    The caller must be the first process in its own namespaces. Raises OSError or WrongFolder.
    """
    previous = os.umask(0)
    calls.mount("", "/", "", calls.RECURSIVE | calls.PRIVATE)
    calls.mount("tmpfs", _NEW, "tmpfs", _TEMPORARY, "mode=0755")
    _proc()
    _devices(request.tmp_bytes)
    _tmpfs("/tmp", request.tmp_bytes, 0o1777)
    _tmpfs(HOME, request.tmp_bytes, 0o777)
    for folder in request.folders:
        _folder(folder)
    for tree in sorted(request.trees, key=len):
        _bind(tree, tree)
    for path, target in request.links:
        os.symlink(target, _with_parents(path))  # noqa: PTH211 - link before target reads better here
    for path, text in request.files:
        _file(path, text)
    for mount in sorted(request.mounts, key=lambda mount: len(mount.inside)):
        _require_same_folder(mount)
        _bind(mount.source, mount.inside)
    calls.set_attributes(f"{_NEW}/dev", calls.ATTR_RDONLY)
    calls.set_attributes(_NEW, calls.ATTR_RDONLY)
    calls.enter_root(_NEW)
    os.umask(previous)


def _proc() -> None:
    target = _folder("/proc")
    calls.mount("proc", target, "proc", calls.NOSUID | calls.NODEV | calls.NOEXEC)
    for name in _PROC_COVERED:
        path = f"{target}/{name}"
        if Path(path).exists():
            calls.mount(path, path, "", calls.BIND)
            calls.set_attributes(path, calls.ATTR_RDONLY)


def _devices(shared_memory_bytes: int) -> None:
    target = _folder("/dev")
    calls.mount("tmpfs", target, "tmpfs", _TEMPORARY, "mode=0755")
    for name in _DEVICES:
        Path(f"{target}/{name}").touch()
        calls.mount(f"/dev/{name}", f"{target}/{name}", "", calls.BIND)
    for name, leads_to in _DEVICE_LINKS:
        os.symlink(leads_to, f"{target}/{name}")  # noqa: PTH211
    options = "newinstance,ptmxmode=0666,mode=620"
    calls.mount("devpts", _folder("/dev/pts"), "devpts", calls.NOSUID | calls.NOEXEC, options)
    _tmpfs("/dev/shm", shared_memory_bytes, 0o1777)


def _tmpfs(path: str, size: int, mode: int) -> None:
    calls.mount("tmpfs", _folder(path), "tmpfs", _TEMPORARY, f"mode={mode:o},size={size}")


def _bind(source: str, inside: str) -> None:
    target = _folder(inside) if Path(source).is_dir() else _with_parents(inside)
    if not Path(target).exists():
        Path(target).touch()
    calls.mount(source, target, "", calls.BIND | calls.RECURSIVE)
    calls.set_attributes(target, _READ_ONLY, recursive=True)


def _require_same_folder(mount: Mount) -> None:
    status = os.lstat(mount.source)
    if (status.st_dev, status.st_ino) != (mount.device, mount.inode):
        raise WrongFolder(f"{mount.inside} would not be the folder that was meant")


def _file(path: str, text: str) -> None:
    target = Path(_with_parents(path))
    target.write_text(text, encoding="utf-8")
    target.chmod(0o444)


def _folder(path: str) -> str:
    target = _with_parents(path)
    if not Path(target).is_dir():
        Path(target).mkdir(0o755)
    return target


def _with_parents(path: str) -> str:
    """Return the place of `path` in the new root, after creating its parent folders."""
    parent = path.rpartition("/")[0]
    if parent and not Path(f"{_NEW}{parent}").is_dir():
        _folder(parent)
    return f"{_NEW}{path}"
