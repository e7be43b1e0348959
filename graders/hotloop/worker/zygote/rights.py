"""Drops a child's privileges, irreversibly, before foreign code runs in it."""

import os
from pathlib import Path

from hotloop.worker.zygote import calls
from hotloop.worker.zygote.request import ChildRequest


def own_user_namespace(inside_uid: int) -> None:
    """Enter a user namespace in which this user has the id `inside_uid` and no other id exists."""
    outside, group = os.geteuid(), os.getegid()
    calls.unshare(calls.NEWUSER)
    map_user(inside_uid, outside, group)


def map_user(inside: int, outside: int, group: int) -> None:
    """Write the uid and gid maps of a user namespace that this process has just created."""
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{inside} {outside} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{inside} {group} 1", encoding="ascii")


def give_up(request: ChildRequest) -> None:
    """Drop the program's privileges: user, groups and capabilities; then install the filter."""
    if request.uid is None:
        own_user_namespace(request.inside_uid)
        calls.drop_bounding_set()
    else:
        calls.drop_bounding_set()
        os.setgroups([])
        os.setresgid(request.uid, request.uid, request.uid)
        os.setresuid(request.uid, request.uid, request.uid)
    calls.drop_capabilities()
    # After a change of user its files in /proc belong to root; an exec would reset that.
    calls.set_dumpable(True)
    calls.load_filter(bytes.fromhex(request.filter))


def give_up_as_init(program: bytes) -> None:
    """Drop the privileges of process 1, which only waits; no process may inspect it."""
    calls.drop_bounding_set()
    calls.drop_capabilities()
    calls.set_dumpable(False)
    calls.load_filter(program)
