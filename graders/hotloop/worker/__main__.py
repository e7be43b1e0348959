"""A worker process: `python -m hotloop.worker --fd N [--notebook lab.ipynb]`.

The judge starts it in a sandbox. A submission's files are copied from /submission into the
working directory, so that the candidate may write beside them.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import sys
from pathlib import Path

from hotloop.worker.serve import serve

SUBMISSION = Path("/submission")


def main() -> None:
    """Copy the files, run the notebook if one is named, serve."""
    parser = argparse.ArgumentParser(prog="python -m hotloop.worker")
    parser.add_argument("--fd", type=int, required=True)
    parser.add_argument("--notebook")
    parser.add_argument("--files", type=Path, default=SUBMISSION)
    arguments = parser.parse_args()
    if arguments.files.is_dir() and arguments.files.resolve() != Path.cwd():
        shutil.copytree(arguments.files, Path.cwd(), dirs_exist_ok=True)
    sys.path.insert(0, str(Path.cwd()))
    main_namespace = sys.modules["__main__"].__dict__
    if arguments.notebook:
        from hotloop.worker.notebook import run_cells

        run_cells(Path(arguments.notebook), main_namespace)
    serve(socket.socket(fileno=arguments.fd), main_namespace)


if __name__ == "__main__":
    main()
