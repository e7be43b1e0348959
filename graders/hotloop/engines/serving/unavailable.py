"""The error for a machine that cannot run a server."""

from hotloop.core.user_error import UserError


class ServingUnavailable(UserError):
    """This machine cannot run a server: `reason` says why, `remedy` how to fix it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}")
        self.reason = reason
        self.remedy = remedy
