"""Draws a candidate's variant from the team's secret: the same for the same pseudonym, always."""

import hashlib
import hmac
from collections.abc import Iterable

from hotloop.variants.variant import Value, Variant
from hotloop.variants.words import WORDS


def draw(module: str, secret: bytes, pseudonym: str) -> Variant:
    """The variant of one candidate. Without the secret nobody can tell it from the pseudonym.

    Plain meanings are not drawn, so that the public solution answers no variant.
    ValueError for a secret of less than 16 bytes.
    """
    # The judge imports this package without the libraries that read a module's files.
    from hotloop.variants.form import form_of

    if len(secret) < 16:
        raise ValueError("a secret of less than 16 bytes can be guessed")
    form = form_of(module)

    def number(what: str, count: int) -> int:
        text = "\0".join(("hotloop variant 1", module, pseudonym, what))
        digest = hmac.new(secret, text.encode(), hashlib.sha256).digest()
        return int.from_bytes(digest) % count

    constants: dict[str, Value] = {}
    for choice in form.choices:
        constants |= choice.drawn(number)
    names = {name: f"{name}_{WORDS[number(f'name {name}', len(WORDS))]}" for name in form.names}
    return Variant(module, constants, names)


def of_class(module: str, word: str) -> Variant:
    """The variant of a class, from a word that its instructor keeps: the same for all learners."""
    return draw(module, hashlib.sha256(word.encode()).digest(), "class")


def same_answers(first: Variant, second: Variant) -> list[str]:
    """The tasks in which two variants of a module mean the same, whatever the names are.

    Empty where nothing differs by meaning: the module's form then has no choice to make.
    """
    from hotloop.variants.form import form_of

    choices = form_of(first.module).choices
    tasks = dict.fromkeys(task for choice in choices for task in choice.tasks)
    alike = {c.name for c in choices if c.of(first.constants) == c.of(second.constants)}
    return [task for task in tasks if all(c.name in alike for c in choices if task in c.tasks)]


def same_for_all(module: str, tasks: Iterable[str]) -> list[str]:
    """Those of the tasks in which no two variants differ, but for names: whoever has the published
    solution, or another candidate's, has the answer.
    """
    from hotloop.variants.form import form_of

    differing = {task for choice in form_of(module).choices for task in choice.tasks}
    return [task for task in tasks if task not in differing]
