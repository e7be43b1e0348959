"""Why a submission is not taken."""

from __future__ import annotations

from enum import StrEnum

from hotloop.core.user_error import UserError


class Refusal(StrEnum):
    """The code of each reason; what a portal counts, and what tests ask for."""

    NOT_A_FILE = "not_a_file"
    TOO_LARGE = "too_large"
    NOT_A_ZIP = "not_a_zip"
    TOO_MANY_FILES = "too_many_files"
    NAME = "name"
    DUPLICATE = "duplicate"
    NOT_A_PLAIN_FILE = "not_a_plain_file"
    ENCRYPTED = "encrypted"
    COMPRESSION = "compression"
    BOMB = "bomb"
    DAMAGED = "damaged"
    NO_MANIFEST = "no_manifest"
    FORGED_MANIFEST = "forged_manifest"
    UNKNOWN_PACK = "unknown_pack"
    WRONG_PACK = "wrong_pack"
    TOO_EARLY = "too_early"
    EXPIRED = "expired"
    OUTSIDE_WINDOW = "outside_window"
    REPLAYED = "replayed"
    NOTEBOOK = "notebook"


class RefusedSubmission(UserError):
    """code: which reason. sentence: what the candidate is told; it quotes nothing unescaped."""

    def __init__(self, code: Refusal, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
