"""How large is the tree, and which of its files are identical?

    python tests/benchmarks/tree_size.py

What git has or would add counts; a megabyte is a million bytes.
"""

import hashlib
import subprocess
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMALLEST = 200
"""Bytes: smaller ones may be identical, such as a header that only includes another one."""


def tracked(root: Path = ROOT) -> list[Path]:
    """Return the files that git has or would add, in name order; links are left out."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, cwd=root, capture_output=True).stdout
    paths = {root / name.decode() for name in listed.split(b"\0") if name}
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def size(files: list[Path]) -> int:
    """Return the bytes of the files together."""
    return sum(path.stat().st_size for path in files)


def identical(files: list[Path]) -> list[list[Path]]:
    """Return the groups of files of SMALLEST bytes or more with the same content."""
    groups: dict[str, list[Path]] = defaultdict(list)
    for path in files:
        content = path.read_bytes()
        if len(content) >= SMALLEST:
            groups[hashlib.sha256(content).hexdigest()].append(path)
    return [group for group in groups.values() if len(group) > 1]


if __name__ == "__main__":
    everything = tracked()
    copies = identical(everything)
    total = size(everything)
    print(
        f"{len(everything)} files, {total:,} bytes: {total / 1e6:.1f} MB ({total / 2**20:.1f} MiB)"
    )
    print(f"{sum(len(group) - 1 for group in copies)} copies of another file")
    for group in copies:
        print("  " + " ".join(str(path.relative_to(ROOT)) for path in group))
