"""The request that the owner of a zygote sends to a child: plain data for both sides."""

from dataclasses import dataclass

HOME = "/home/learner"
"""Same as in hotloop.sandbox.confinement, which cannot be imported inside the sandbox."""


@dataclass(frozen=True)
class Mount:
    """A folder of the zygote's file system that the child sees at `inside`, read-only.

    device, inode: identity of the folder that the owner found; the child fails if it finds another.
    """

    source: str
    inside: str
    device: int
    inode: int


@dataclass(frozen=True)
class ChildRequest:
    """The description of one child.

    option: -m or -c; program: a module's name or source text; arguments: what follows it.
    environment: all variables.
    uid: the user to become if the owner is root, else None; inside_uid: the user id that the child
    then has inside.
    trees: folders that the child sees as the zygote does, none inside another; folders: parent
    folders of mounts; links: path and target of each symbolic link; files: path and text.
    tmp_bytes: size of each of /tmp, /dev/shm and the home folder. filter: seccomp program, in hex.
    fds: the numbers for the descriptors that follow the first one.
    """

    option: str
    program: str
    arguments: list[str]
    environment: dict[str, str]
    uid: int | None
    inside_uid: int
    trees: list[str]
    folders: list[str]
    links: list[tuple[str, str]]
    files: list[tuple[str, str]]
    mounts: list[Mount]
    tmp_bytes: int
    filter: str
    fds: list[int]
