"""What the page of simulated accelerators begins with: the course's machine and a naive program."""

import json
from html import escape

from hotloop.engines.accelerator.kernels import BY_NAME
from hotloop.engines.accelerator.program import disassemble
from hotloop.tasks.modules.unknown_machine.instances import PLAIN

NAME = "accelerator.md"
PLACE = "<!-- accelerator -->"
KERNEL = "walk"


def place(simulator: str) -> str:
    """Return the element that accelerator.mjs fills. simulator: as in `assets.write`, or ""."""
    kernels = {name: kernel(PLAIN) for name, kernel in BY_NAME.items()}
    counts = escape(json.dumps({name: kernel.items for name, kernel in kernels.items()}))
    naive = disassemble(kernels[KERNEL].naive(kernels[KERNEL].items[0]))
    return (
        f'<div id="accelerator" data-simulator="{simulator}" data-kernels="{counts}" markdown>\n\n'
        f"```text\n{naive}```\n\n</div>"
    )
