"""Refusals: responses that replace the requested one, with one sentence for people."""

from __future__ import annotations


class RequestRefused(Exception):
    """The request is refused. sentence: for people; it is escaped where it is displayed.

    wait_s: seconds after which to retry. hang_up: close the connection without reading the body.
    """

    def __init__(
        self, status: int, sentence: str, *, wait_s: int = 0, hang_up: bool = False
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.wait_s = wait_s
        self.hang_up = hang_up

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the response."""
        wait = {"Retry-After": str(self.wait_s)} if self.wait_s else {}
        return {**wait, "Connection": "close"} if self.hang_up else wait


class LoginNeeded(Exception):
    """The request has no valid session."""


SENTENCES = {
    400: "The request was not understood.",
    403: "This form is too old, or came from elsewhere: go back, load the page anew and try again.",
    404: "There is no such page.",
    405: "This page does not take that kind of request.",
    408: "The request came too slowly: try again on a faster connection.",
    413: "That is larger than this page takes.",
    422: "Something in the request was not as it must be.",
    429: "That was too often: wait a while, and try again.",
    500: "Something went wrong here, and it was noted. Try again later.",
    503: "Too many uploads at once: try again in a minute.",
}
"""The default sentence for each HTTP status."""
