"""Programs as text: a bundle of instructions a line, checked against a machine.

loop:
  vld v1, s2, 0 | add s2, s2, 8     # both read their registers before either writes
  bnz s3, loop
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from hotloop.engines.accelerator.machine import OPTIONAL, UNITS, WORD, Machine

MOST_CHARACTERS = 1_000_000
"""Maximum length of a program's text: checked before anything is read of it."""

ARITHMETIC = ("add", "sub", "mul", "and", "or", "xor", "shl", "shr", "lt", "eq", "rotl", "max")

# What each operand may be: d writes a scalar register, D a vector register, s and v read one,
# i is an immediate, x a scalar register or an immediate, y a vector register or one of these,
# L a label.
FORMS: dict[str, tuple[str, str]] = {
    "mov": ("scalar", "dx"),
    "muladd": ("scalar", "dsxx"),
    "vmov": ("vector", "Dy"),
    "viota": ("vector", "D"),
    "vsel": ("vector", "Dvyy"),
    "vmuladd": ("vector", "Dvyy"),
    "vsum": ("vector", "dv"),
    "ld": ("load", "dsi"),
    "vld": ("load", "Dsi"),
    "vgather": ("load", "Dvi"),
    "st": ("store", "sis"),
    "vst": ("store", "siv"),
    "vscatter": ("store", "viv"),
    "jump": ("flow", "L"),
    "bnz": ("flow", "sL"),
    "bz": ("flow", "sL"),
    "halt": ("flow", ""),
    "copyin": ("dma", "ssx"),
    "copyout": ("dma", "ssx"),
    "wait": ("dma", "i"),
    **dict.fromkeys(ARITHMETIC, ("scalar", "dsx")),
    **{f"v{name}": ("vector", "Dvy") for name in ARITHMETIC},
}
"""Unit and operands of each instruction."""

MULTIPLIES = {"mul", "muladd", "vmul", "vmuladd", "vsum"}

_LABEL = re.compile(r"([A-Za-z_]\w*):")
_NUMBER = re.compile(r"-?(0x[0-9a-fA-F]{1,8}|0|[1-9][0-9]{0,9})")
_REGISTER = re.compile(r"[sv](0|[1-9][0-9]{0,2})")


class Rejected(Exception):
    """The text is no program of this machine. The message names the line."""


@dataclass(frozen=True)
class Instruction:
    """One instruction: a name, and operands as they are written."""

    name: str
    operands: tuple[str, ...] = ()

    @property
    def unit(self) -> str:
        """The unit that executes it."""
        return FORMS[self.name][0]

    @property
    def latency(self) -> str:
        """Its class in `Machine.latency`; units without a result have none."""
        multiply = "_multiply" if self.name in MULTIPLIES else ""
        return self.unit + multiply

    def _registers(self, kinds: str) -> tuple[str, ...]:
        form = FORMS[self.name][1]
        pairs = zip(form, self.operands, strict=True)
        return tuple(text for kind, text in pairs if kind in kinds and text[0] in "sv")

    @property
    def writes(self) -> tuple[str, ...]:
        """The register that it writes, if any."""
        return self._registers("dD")

    @property
    def reads(self) -> tuple[str, ...]:
        """The registers that it reads."""
        return self._registers("svxy")

    def __str__(self) -> str:
        return f"{self.name} {', '.join(self.operands)}".strip()


Bundle = tuple[Instruction, ...]


@dataclass
class Program:
    """Bundles, and the number of the bundle that each label stands before."""

    bundles: list[Bundle] = field(default_factory=list[Bundle])
    labels: dict[str, int] = field(default_factory=dict[str, int])

    def emit(self, *texts: str) -> None:
        """Append a bundle of instructions."""
        self.bundles.append(tuple(map(instruction, texts)))

    def label(self, name: str) -> None:
        """Let a label stand before the next bundle."""
        self.labels[name] = len(self.bundles)

    def __str__(self) -> str:
        return disassemble(self)


def disassemble(program: Program) -> str:
    """Return the program as text that `assemble` reads."""
    names: dict[int, list[str]] = {}
    for name, at in program.labels.items():
        names.setdefault(at, []).append(name)
    lines: list[str] = []
    for at in range(len(program.bundles) + 1):
        lines += [f"{name}:" for name in names.get(at, [])]
        if at < len(program.bundles):
            lines.append("  " + " | ".join(map(str, program.bundles[at])))
    return "\n".join(lines) + "\n"


def instruction(text: str) -> Instruction:
    """Return one instruction. Raises Rejected for a name or operand that no machine has."""
    name, _, rest = text.strip().partition(" ")
    operands = tuple(part.strip() for part in rest.split(",", 8)) if rest.strip() else ()
    if name not in FORMS:
        raise Rejected(f"there is no instruction {name[:20]!r}")
    form = FORMS[name][1]
    if len(operands) != len(form):
        raise Rejected(f"{name} takes {len(form)} operands, got {len(operands)}")
    for kind, operand in zip(form, operands, strict=True):
        if not _fits(kind, operand):
            raise Rejected(f"{name} cannot take {operand[:20]!r}")
    return Instruction(name, operands)


def _fits(kind: str, operand: str) -> bool:
    if kind == "L":
        return _LABEL.fullmatch(operand + ":") is not None
    if _NUMBER.fullmatch(operand):
        return kind in "ixy" and -WORD // 2 <= int(operand, 0) <= WORD
    files = {"d": "s", "s": "s", "x": "s", "D": "v", "v": "v", "y": "sv", "i": ""}[kind]
    return _REGISTER.fullmatch(operand) is not None and operand[0] in files


def assemble(text: str, machine: Machine) -> Program:
    """Return the program. Raises Rejected, with the line, for what this machine cannot run."""
    if len(text) > MOST_CHARACTERS:
        raise Rejected(f"the text has {len(text)} characters, at most {MOST_CHARACTERS} are read")
    program = Program()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            _read_line(line.partition("#")[0].strip(), program, machine)
        except Rejected as error:
            raise Rejected(f"line {number}: {error}") from None
    for each in (each for bundle in program.bundles for each in bundle):
        if "L" in FORMS[each.name][1] and each.operands[-1] not in program.labels:
            raise Rejected(f"{each}: there is no such label")
    return program


def _read_line(code: str, program: Program, machine: Machine) -> None:
    if label := _LABEL.fullmatch(code):
        if label[1] in program.labels:
            raise Rejected(f"the label {label[1]!r} is there twice")
        program.label(label[1])
    elif code:
        program.bundles.append(_bundle(code, machine))
    if len(program.bundles) > machine.program:
        raise Rejected(f"a program has at most {machine.program} bundles")


def _bundle(code: str, machine: Machine) -> Bundle:
    texts = code.split("|", machine.width)
    bundle = tuple(map(instruction, texts[: machine.width]))
    if len(texts) > machine.width:
        raise Rejected(f"a bundle has at most {machine.width} instructions")
    if problem := misfit(bundle, machine):
        raise Rejected(problem)
    return bundle


def misfit(bundle: Iterable[Instruction], machine: Machine) -> str | None:
    """Return why these instructions are no bundle of the machine, or None."""
    used = dict.fromkeys(UNITS, 0)
    written = set[str]()
    for each in bundle:
        used[each.unit] += 1
        if used[each.unit] > machine.slots[each.unit]:
            return f"more than {machine.slots[each.unit]} {each.unit} instructions in a bundle"
        base = each.name.removeprefix("v")
        if base in OPTIONAL and base not in machine.fused:
            return f"this machine has no {each.name}"
        for name in (*each.reads, *each.writes):
            count = machine.scalars if name[0] == "s" else machine.vectors
            if int(name[1:]) >= count:
                return f"{name} does not exist: registers are {name[0]}0 to {name[0]}{count - 1}"
        for name in each.writes:
            if name in written:
                return f"two instructions of a bundle write {name}"
            written.add(name)
    return None
