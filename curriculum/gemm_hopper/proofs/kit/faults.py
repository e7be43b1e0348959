"""Prints what the simulator finds in a program with each of its faults."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from hotloop.engines.simulate.check import Checked, check

ORDERS = ("forward", "reverse", "random:0")


def report(source: Path, faults: Mapping[str, str]) -> None:
    """Check the program without a fault, which is right, and with each: name and kind."""
    clean = check([source], orders=ORDERS)
    assert clean.clean, clean.report.findings
    print(f"no fault: {clean.runs[0].output.strip()}, and nothing found in {len(ORDERS)} orders")
    for number, (name, kind) in enumerate(faults.items(), 1):
        print(f"{number}. {name}")
        show(check([source], orders=ORDERS, defines=[f"FAULT={number}"]), kind)


def show(checked: Checked, kind: str) -> None:
    """Print the longest finding of a kind, with the lines that take part in it."""
    found = [f for f in checked.report.findings if f.kind == kind]
    finding = max(found, key=lambda f: len(f.text))
    lines = ", ".join(str(line.line) for line in finding.lines)
    where = f"line{'s' if len(finding.lines) > 1 else ''} {lines}"
    words = f"{finding.kind}, {where}: {finding.text}"
    print(textwrap.fill(words, 96, initial_indent="   ", subsequent_indent="   "))
