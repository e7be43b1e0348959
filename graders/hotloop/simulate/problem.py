"""What can go wrong before a program runs."""

from hotloop.core.user_error import UserError


class Problem(UserError):
    """An error that the user can fix; the text says what and where."""


class ToolMissing(Problem):
    """A program of the toolchain is not installed; the text has the command that installs it."""


class Unsupported(Problem):
    """The source uses what the simulator does not have.

    file, line: where, as the compiler would name it.
    """

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}:{line}: {what}")
        self.file = file
        self.line = line
        self.what = what


class CompileError(Problem):
    """The compiler refused the source; the text is its own message."""
