"""A Jupyter server extension that replaces nbgrader's formgrader in Hotloop's courses.

nbgrader's own shows pending points as lost and asks for marks that the judge gives. The files in
`jupyter/`, installed with this package, select which of the two is loaded.
"""

from typing import Any


def _load_jupyter_server_extension(server: Any) -> None:  # pyright: ignore[reportUnusedFunction]
    """Entry point for Jupyter's server."""
    # The minimal installation lacks nbgrader, but may have JupyterLab.
    try:
        from hotloop.course.formgrader.extension import load
    except ModuleNotFoundError as error:
        server.log.info("No formgrader: %s is not installed", error.name)
        return
    load(server)
