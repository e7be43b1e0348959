"""nbgrader's formgrader for a course that Hotloop grades: an extension of Jupyter's server.

It takes the place of nbgrader's own, which shows pending points as lost and asks for marks that
the judge gives. Which of the two is loaded is in `jupyter/`, installed with this package.
"""

from typing import Any


def _load_jupyter_server_extension(server: Any) -> None:  # pyright: ignore[reportUnusedFunction]
    """What Jupyter's server calls."""
    # nbgrader is no part of the smallest installation, in which JupyterLab may be there all the
    # same.
    try:
        from hotloop.course.formgrader.extension import load
    except ModuleNotFoundError as error:
        server.log.info("No formgrader: %s is not installed", error.name)
        return
    load(server)
