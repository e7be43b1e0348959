"""An error that the user can correct."""


class UserError(Exception):
    """A request cannot be served as it was made.

    The message says what is wrong and what to do. The command line prints it and exits with code 2.
    A notebook shows it without a traceback.
    """

    def _render_traceback_(self) -> list[str]:
        """Return the lines that IPython shows instead of a traceback."""
        return [str(self)]
