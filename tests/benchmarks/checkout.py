"""The commit of a repository's files."""

import subprocess
from pathlib import Path


def commit(root: Path) -> str:
    """Return the commit of a checkout, or of an archive: what its file COMMIT says."""
    if (root / "COMMIT").exists():
        return (root / "COMMIT").read_text(encoding="utf-8").strip()
    command = ["git", "-C", str(root), "rev-parse", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
