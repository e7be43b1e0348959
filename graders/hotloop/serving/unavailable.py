"""Why nothing can be served here."""

from hotloop.core.user_error import UserError


class ServingUnavailable(UserError):
    """This machine cannot serve as it is: `reason` says why, `remedy` is what fixes it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}: {remedy}")
        self.reason = reason
        self.remedy = remedy
