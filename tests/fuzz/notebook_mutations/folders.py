"""Mutations of the files in a submission's folder, and of their names."""

import os
from random import Random
from typing import NamedTuple

from notebook_mutations.handed import Handed
from notebook_mutations.registry import folder

ODD_NAMES = (
    "with a blank.txt", "-rf", "é ü.txt", "line\nend.txt", "'quote\".txt", "x" * 250 + ".txt",
    os.fsdecode(b"\xff\xfe.txt"), "%s {0} $HOME.txt", "back\\slash.txt", ".hidden", "*.txt",
    "\u202etxt",
)  # fmt: skip


class Given(NamedTuple):
    """The notebook's file name and its bytes."""

    name: str
    data: bytes

    @property
    def stem(self) -> str:
        return self.name.removesuffix(".ipynb")


def beside(given: Given, **files: bytes) -> Handed:
    """Return the unchanged notebook with other files."""
    return Handed({given.name: given.data, **files})


# --- in the notebook's place ----------------------------------------------------------------------


@folder("folder", "unreadable")
def no_notebook(rng: Random, given: Given) -> Handed:
    return Handed({"notes.txt": b"I could not do it."})


@folder("folder", "same")
def folder_in_its_place(rng: Random, given: Given) -> Handed:
    return Handed({f"{given.name}/{given.name}": given.data})


@folder("folder", "unreadable")
def pipe_in_its_place(rng: Random, given: Given) -> Handed:
    return Handed(pipes=(given.name,))


@folder("folder", "unreadable")
def socket_in_its_place(rng: Random, given: Given) -> Handed:
    return Handed(sockets=(given.name,))


@folder("folder", "unreadable")
def link_in_its_place(rng: Random, given: Given) -> Handed:
    targets = ["../../../gradebook.db", "/etc/passwd", given.name, "/nowhere", "/dev/zero", "."]
    return Handed(links={given.name: rng.choice(targets)})


@folder("folder", "unreadable")
def link_to_a_neighbor(rng: Random, given: Given) -> Handed:
    neighbor = f"../../untouched_0/{{module}}/{given.name}"
    return Handed(links={given.name: neighbor})


@folder("folder", "unreadable")
def sparse_in_its_place(rng: Random, given: Given) -> Handed:
    return Handed(sparse={given.name: rng.choice([17 << 20, 1 << 30])})


# --- under another name ---------------------------------------------------------------------------


@folder("names", "same")
def renamed(rng: Random, given: Given) -> Handed:
    names = ["lab (1)", "final FINAL", "é ü", "-x", "a'b\"c", "x" * 240, "[ab]", "%s {0}", "a\\b"]
    return Handed({f"{rng.choice(names)}.ipynb": given.data})


@folder("names", "any")
def name_that_is_no_text(rng: Random, given: Given) -> Handed:
    names = [os.fsdecode(b"\xff\xfe.ipynb"), "line\nend.ipynb", ".ipynb", "\u202e.ipynb", "..ipynb"]
    return Handed({rng.choice(names): given.data})


@folder("names", "any")
def other_suffix(rng: Random, given: Given) -> Handed:
    suffixes = [".IPYNB", ".ipynb.txt", ".json", ".ipynb~", ".ipynb.ipynb", ".py", ""]
    return Handed({given.stem + rng.choice(suffixes): given.data})


@folder("names", "same")
def two_to_choose_from(rng: Random, given: Given) -> Handed:
    return Handed({"first.ipynb": given.data, "second.ipynb": given.data})


@folder("names", "same")
def in_a_folder(rng: Random, given: Given) -> Handed:
    return Handed({f"{{module}}/{given.name}": given.data})


# --- beside it ------------------------------------------------------------------------------------


@folder("beside", "same")
def links_beside(rng: Random, given: Given) -> Handed:
    targets = ["/etc/passwd", "loop", "/proc/self/environ", "../../../gradebook.db", ".", "/"]
    links = {f"link {number}": target for number, target in enumerate(targets)}
    return Handed({given.name: given.data}, links={**links, "loop": "loop"})


@folder("beside", "same")
def pipes_and_sockets(rng: Random, given: Given) -> Handed:
    return Handed({given.name: given.data}, pipes=("pipe", "deep/pipe"), sockets=("socket",))


@folder("beside", "same")
def odd_names(rng: Random, given: Given) -> Handed:
    return beside(given, **dict.fromkeys(rng.sample(ODD_NAMES, 5), b"x"))


@folder("beside", "same")
def other_notebooks(rng: Random, given: Given) -> Handed:
    return beside(given, **{"scratch.ipynb": b"{", f".ipynb_checkpoints/{given.name}": b"no"})


@folder("beside", "same")
def many_files(rng: Random, given: Given) -> Handed:
    return beside(given, **{f"data/{number}.csv": b"1\n" for number in range(700)})


@folder("beside", "any")
def deep_folders(rng: Random, given: Given) -> Handed:
    return beside(given, **{"d/" * rng.choice([10, 40, 200]) + "file.txt": b"x"})


@folder("beside", "same")
def long_file(rng: Random, given: Given) -> Handed:
    return Handed({given.name: given.data}, sparse={"data.bin": rng.choice([20 << 20, 1 << 30])})


@folder("beside", "same")
def modules_of_its_own(rng: Random, given: Given) -> Handed:
    bad = b"raise SystemExit('a file of the learner was imported')\n"
    taken = rng.choice(["sitecustomize.py", "usercustomize.py", "ipykernel.py", "zmq.py"])
    return beside(given, **{taken: bad})


@folder("beside", "same")
def settings_of_its_own(rng: Random, given: Given) -> Handed:
    bad = b"raise SystemExit('a setting of the learner was read')\n"
    names = ["nbgrader_config.py", "jupyter_config.py", "ipython_config.py", "profile_default/x.py"]
    return beside(given, **dict.fromkeys(names, bad))


# --- the time that it was handed in ---------------------------------------------------------------


@folder("timestamp", "same")
def timestamp_that_is_none(rng: Random, given: Given) -> Handed:
    texts = [b"", b"yesterday", b"\xff\xfe", b"9" * 500, b"2026-13-45 99:99:99", b"0000-00-00"]
    return beside(given, **{"timestamp.txt": rng.choice(texts)})


@folder("timestamp", "same")
def timestamp_far_away(rng: Random, given: Given) -> Handed:
    texts = [b"0001-01-01 00:00:00 UTC", b"9999-12-31 23:59:59 UTC", b"1969-12-31 23:59:59 -2359"]
    return beside(given, **{"timestamp.txt": rng.choice(texts)})


@folder("timestamp", "same")
def timestamp_of_another_kind(rng: Random, given: Given) -> Handed:
    kept = {given.name: given.data}
    return rng.choice(
        [
            Handed({**kept, "timestamp.txt/inside": b"x"}),
            Handed(kept, links={"timestamp.txt": "/etc/passwd"}),
            Handed(kept, pipes=("timestamp.txt",)),
            Handed(kept, sparse={"timestamp.txt": 1 << 20}),
        ]
    )
