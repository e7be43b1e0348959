"""Stands in for nvcc and nvdisasm: prints their recorded output for `sources/`.

A command in a comment on a source's first line, such as `// fake: hang`, is executed instead.
"""

import os
import re
import sys
import time
from pathlib import Path

RECORDED = Path(__file__).parent / "recorded"


def main(name: str, arguments: list[str]) -> int:
    if name == "nvdisasm":
        print((RECORDED / f"{Path(arguments[-1]).read_text()}.sass").read_text(), end="")
        return 0
    if "--version" in arguments:
        print("Cuda compilation tools, release 13.0, V13.0.88")
        return 0
    if "--dryrun" in arguments:
        print(f"#$ TOP={RECORDED}")
        return 0
    return compile_recorded(arguments)


def compile_recorded(arguments: list[str]) -> int:
    source = Path(arguments[-1])
    asked = re.match(r"// fake: (\w+) ?(.*)", source.read_text())
    if asked is not None:
        return do(asked[1], asked[2], source, Path(following(arguments, "-MF")))
    Path(following(arguments, "-MF")).write_text(f"out : {source}\n")
    Path(following(arguments, "-o")).write_text(source.stem)
    kept = Path(next(a for a in arguments if a.startswith("--keep-dir=")).partition("=")[2])
    ptx = RECORDED / f"{source.stem}.ptx"
    if ptx.exists():
        (kept / ptx.name).write_text(ptx.read_text())
    log = (RECORDED / f"{source.stem}.log").read_text()
    target = next(a for a in arguments if a.startswith("-arch=")).partition("=")[2]
    print(log.replace("@FOLDER@", str(kept)).replace("'sm_90'", f"'{target}'"), end="")
    return int((RECORDED / f"{source.stem}.status").read_text())


def do(what: str, file: str, source: Path, dependencies: Path) -> int:
    """Fail in the requested way."""
    if what == "hang":
        # A child that outlives its parent, as nvcc's would.
        os.spawnlp(os.P_NOWAIT, "sleep", "sleep", file)
        time.sleep(600)
    if what == "babble":
        for number in range(100_000):
            print("warning", number)
    if what == "read":
        dependencies.write_text(f"out : {source} {file}\n")
        print(f"{file}(1): error: secret words\n  secret words\n  ^")
    if what == "unread":
        print(f"{source}:1:2: warning: #warning\nIn file included from x:\n  2 | secret words")
        print(f"{file}:1:1: error: secret words\n    1 | secret words")
        print(f"{source}:3:2: error: missing #endif\n    3 | secret words")
    return 1


def following(arguments: list[str], option: str) -> str:
    return arguments[arguments.index(option) + 1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
