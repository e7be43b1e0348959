"""What a person has to put right."""


class UserError(Exception):
    """A request cannot be served as it was made.

    The text is a sentence that says what is wrong and what to do. The command line prints it, and
    exits with code 2. A notebook shows it without a traceback.
    """

    def _render_traceback_(self) -> list[str]:
        """As IPython asks for it."""
        return [str(self)]
