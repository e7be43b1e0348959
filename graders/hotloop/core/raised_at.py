"""Where an exception was raised, for whoever wrote the code there."""

import traceback


def first_cause(error: BaseException) -> BaseException:
    """Return the exception that this one was raised from, and so on."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def places(error: BaseException) -> list[str]:
    """Return `path:line` of every call that the exception went through, its origin last."""
    calls = traceback.walk_tb(error.__traceback__)
    own = [f"{frame.f_code.co_filename}:{line}" for frame, line in calls]
    return own if error.__cause__ is None else [*own, *places(error.__cause__)]
