"""Draws a candidate's variant from the team's secret; a pseudonym always gets the same one."""

import hashlib
import hmac
from collections.abc import Iterable

from hotloop.core.variant import Value, Variant
from hotloop.tasks.variants.form import form_of
from hotloop.tasks.variants.words import WORDS


def draw(module: str, secret: bytes, pseudonym: str) -> Variant:
    """Return one candidate's variant. It cannot be derived from the pseudonym without the secret.

    Plain options are not drawn, so that the public solution answers no variant. Raises ValueError
    if the secret has less than 16 bytes.
    """
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
    """Return the variant of a class, the same for all learners.

    word: a secret that the instructor keeps.
    """
    return draw(module, hashlib.sha256(word.encode()).digest(), "class")


def same_answers(first: Variant, second: Variant) -> list[str]:
    """Return the tasks in which two variants of a module mean the same, apart from names.

    Empty if the module has no choices, because then no meaning can differ.
    """
    choices = form_of(first.module).choices
    tasks = dict.fromkeys(task for choice in choices for task in choice.tasks)
    alike = {c.name for c in choices if c.of(first.constants) == c.of(second.constants)}
    return [task for task in tasks if all(c.name in alike for c in choices if task in c.tasks)]


def same_for_all(module: str, tasks: Iterable[str]) -> list[str]:
    """Return the tasks, of those given, in which variants differ only in names.

    The published solution, or another candidate's, answers them.
    """
    differing = {task for choice in form_of(module).choices for task in choice.tasks}
    return [task for task in tasks if task not in differing]
