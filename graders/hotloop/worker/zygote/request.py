"""What the owner of a zygote asks a child to be. Plain data that both sides know."""

from dataclasses import dataclass

HOME = "/home/learner"
"""As hotloop.sandbox.confinement has it, which is not seen inside."""


@dataclass(frozen=True)
class Mount:
    """A folder of the zygote's view that the child sees at `inside`, read-only.

    device, inode: what the owner found there; a child that finds something else gives up.
    """

    source: str
    inside: str
    device: int
    inode: int


@dataclass(frozen=True)
class Request:
    """One child.

    option: -m or -c; program: a module's name or a text; arguments: what follows it.
    environment: all of it. uid: the user to become where the owner is root, else None, and
        inside_uid: as which it then appears.
    trees: what the child sees as the zygote does, none below another; folders: what leads to a
        mount; links: path and target of each symbolic link; files: path and text.
    tmp_bytes: of each of /tmp, /dev/shm and the home folder. filter: in hexadecimal.
    fds: the numbers under which the descriptors behind the first are kept.
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
