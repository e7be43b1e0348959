"""Whom candidates write to, and the privacy notice that they read before they start."""

from typing import Annotated

from pydantic import AfterValidator, StringConstraints

SHORTEST_NOTICE = 80
"""Fewest characters: a notice names the company, the purpose, how long, and the rights."""


def _reachable(contact: str) -> str:
    if "@" not in contact and "https://" not in contact:
        raise ValueError("an e-mail address or an https:// page at which candidates reach a person")
    return contact


Contact = Annotated[
    str,
    StringConstraints(strip_whitespace=True, pattern=r"^[^<>\n]{3,200}$"),
    AfterValidator(_reachable),
]
PrivacyNotice = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=SHORTEST_NOTICE, max_length=8000),
]

_DRAFT = """\
{company} is responsible for your data. Contact, for questions on data protection too: {contact}.

What is stored: your name, what you hand in, when you were invited and handed in, extra time if you
asked for it (never why), the work log if you leave it on, and what is written about your work: a
report by a program, and people's marks and notes.

Why: to decide whether to go on with your application, and to talk about your work in the
interview. Legal basis: steps before a contract, which you asked for (Article 6(1)(b) GDPR).

Who sees it: the people at {company} who decide about this position. They know you by a pseudonym
until they have filed their marks. It is stored on our own machines and given to nobody else.

A program runs and measures your code, and compares it with other candidates' and with published
code. It rejects nobody: people decide.

How long: until the date in the instructions, then it is deleted.

Your rights: to see your data and get a copy, to have them corrected or deleted, to object, to have
their use restricted, and to take them elsewhere. Write to {contact}. You can also complain to a
data protection authority. You need not give any of these data; without them we cannot consider
this exercise."""


def draft(company: str, contact: str) -> str:
    """Return a privacy notice to begin with, true for a team that changes nothing."""
    return _DRAFT.format(company=company, contact=contact)
