"""Errors before a program runs."""

from hotloop.core.user_error import UserError


class SimulatorError(UserError):
    """An error that the user can fix; the text says what and where."""


class ToolMissing(SimulatorError):
    """A program of the toolchain is not installed; the text has the command to install it."""


class Unsupported(SimulatorError):
    """The source uses something that the simulator does not support.

    file, line: where, as the compiler would name it.
    """

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}:{line}: {what}")
        self.file = file
        self.line = line
        self.what = what


class CompileError(SimulatorError):
    """The compiler rejected the source; the text is its message."""
