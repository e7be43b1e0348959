"""What of a record nobody has deserved, as far as that follows from what the attacker has said."""

from collections.abc import Collection, Sequence

from hotloop.author.attack.messages import CheckResult


def claims(results: Sequence[CheckResult], honest: Collection[str]) -> list[str]:
    """Return a sentence for each check that earned or stays open, and should not have.

    results: of checks that the right answer passes on this machine, so none has to stay open.
    honest: checks that the files pass rightly.
    """
    sentences: list[str] = []
    for result in results:
        if result.verdict.pending:
            sentences.append(f"{result.check} stays open: {result.verdict}")
        elif result.earned > 0 and result.check not in honest:
            sentences.append(f"{result.check} earned {result.earned:.3g} of its points")
    return sentences
