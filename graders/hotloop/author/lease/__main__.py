"""`python -m hotloop.author.lease --seconds N [--plan] [--pack FOLDER] [--rehearse] …`."""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from hotloop.author import evidence
from hotloop.author.lease import piece as one_piece
from hotloop.author.lease import wheels
from hotloop.author.lease.journal import folder, journal_of, only_one, set_aside
from hotloop.author.lease.lease import PACKING_S, Lease
from hotloop.author.lease.pieces import Need, Piece, Stage, all_pieces, to_do
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.judge.device import device_name, driver_version, kind
from hotloop.tasks import curriculum

_ROWS = 40


def main(words: Sequence[str] | None = None) -> int:
    """Do what the command line says; return the exit code."""
    started = time.monotonic()
    try:
        return _done(_parser().parse_args(words), started)
    except UserError as unreadable:
        print(unreadable, file=sys.stderr)
        return 2


def _done(asked: argparse.Namespace, started: float) -> int:
    if asked.piece:
        one_piece.main(asked.piece, asked.out, asked.seconds, rehearse=asked.rehearse)
        return 0
    here = kind() == "cuda"
    if asked.plan or asked.pack:
        return _plan(asked, asked.device or (device_name() if here else _known_device()), here)
    why = "" if asked.rehearse else evidence.why_no_gpu_run(device_name())
    if why:
        print(f"Nothing is measured: {why}. --plan says what would be done.", file=sys.stderr)
        return 2
    with only_one(paths.root() / "build" / "lease.lock") as mine:
        if not mine:
            print("Another lease runs in this clone.", file=sys.stderr)
            return 2
        if asked.rehearse:
            return _lease(asked, "rehearsal", {}, started)
        return _lease(asked, device_name(), _versions(), started)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hotloop.author.lease")
    parser.add_argument("--seconds", type=float, default=720.0, help="how long the card is lent")
    parser.add_argument("--plan", action="store_true", help="say what would be done; needs no card")
    parser.add_argument("--device", default="", help="the card to plan for")
    parser.add_argument("--pack", type=Path, help="download the wheels into this folder")
    parser.add_argument("--out", type=Path, default=paths.root() / "build" / "lease")
    parser.add_argument("--archive", type=Path, help="the file to bring back; else OUT/lease.zip")
    parser.add_argument(
        "--has", default="", help="packages of the card's machine beyond PyTorch, with commas"
    )
    parser.add_argument(
        "--rehearse", action="store_true", help="all but the writing, on a machine without a card"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document at the end")
    parser.add_argument("--piece", default="", help=argparse.SUPPRESS)
    return parser


def _known_device() -> str:
    """Return the device of the latest run on a GPU."""
    runs = [r for m in curriculum.modules() for r in curriculum.runs(m.id) if r.kind == "gpu"]
    return max(runs, key=lambda run: run.date).device if runs else "NVIDIA GPU"


def _versions() -> dict[str, str]:
    names = ("torch", "triton")
    found = {name: metadata.version(name) for name in names if _installed(name)}
    return {**found, "driver": driver_version()}


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _plan(asked: argparse.Namespace, device: str, here: bool) -> int:
    versions = _versions() if here else None
    has = None if here else [name for name in asked.has.split(",") if name]
    pieces = all_pieces(device, journal_of(device), versions, has=has)
    if asked.pack:
        wheels.pack(wheels.by_group(pieces), asked.pack, lambda text: print(text, flush=True))
    document = planned(pieces, asked.seconds, device)
    print(json.dumps(document, indent=1) if asked.json else _as_text(document))
    return 0


def planned(pieces: Sequence[Piece], seconds: float, device: str) -> dict[str, Any]:
    """Return which pieces fit into the time, with what each takes, and what is left then."""
    waiting = to_do(pieces)
    chosen: list[Piece] = []
    room = seconds - PACKING_S
    while fitting := next((p for p in waiting if p.seconds <= room), None):
        waiting.remove(fitting)
        chosen.append(fitting)
        room -= fitting.seconds
    return {
        "device": device,
        "seconds": seconds,
        "plan": [_row(piece) for piece in chosen],
        "left": _left(waiting),
        "lacking": lacking(pieces),
        "points": _points(pieces, {piece.name for piece in chosen}),
        "wheels": {
            "every piece": wheels.requirements(),
            **{group: wheels.requirements(group) for group in wheels.by_group(pieces)},
        },
    }


def _row(piece: Piece) -> dict[str, Any]:
    return {
        "piece": piece.name,
        "seconds": round(piece.seconds, 1),
        "seconds_from": "an earlier run" if piece.known else "typical",
        "points": piece.points,
        "why": piece.need.words,
    }


def _left(pieces: Sequence[Piece]) -> dict[str, dict[str, Any]]:
    """Return how many pieces of each stage are left, and their seconds."""
    stages = {stage: [p for p in pieces if p.stage is stage] for stage in Stage}
    return {
        stage.name.lower(): {"pieces": len(some), "seconds": round(sum(p.seconds for p in some))}
        for stage, some in stages.items()
        if some
    }


def lacking(pieces: Sequence[Piece]) -> dict[str, list[str]]:
    """Return what is left for want of packages, with these: references and exploits alone."""
    return {
        piece.name: list(piece.lacking)
        for piece in pieces
        if piece.lacking and piece.need is not Need.NONE and piece.stage is not Stage.WRONG
    }


def _points(pieces: Sequence[Piece], chosen: set[str]) -> dict[str, int]:
    """Return the points that are judged on a GPU, with a present run, and after the plan."""
    references = [piece for piece in pieces if piece.stage is Stage.REFERENCE]
    every = sum(
        check.points for m in curriculum.modules() for t in m.tasks for check in t.checks
        if check.needs_gpu
    )  # fmt: skip
    open_points = sum(p.points for p in references)
    never = sum(p.new_points for p in references)
    brought = sum(p.points for p in references if p.name in chosen)
    return {
        "judged_on_a_gpu": every,
        "with_a_run": every - never,
        "with_a_present_run": every - open_points,
        "with_a_present_run_after_it": every - open_points + brought,
    }


def _as_text(document: dict[str, Any]) -> str:
    lines = [f"{document['device']}, {document['seconds']:.0f} s", ""]
    at = 0.0
    for row in document["plan"]:
        mark = "" if row["seconds_from"] != "typical" else " (typical)"
        lines.append(
            f"{at:6.0f} s  {row['piece']}: {row['seconds']:.0f} s{mark}, {row['points']} points, "
            f"{row['why']}"
        )
        at += row["seconds"]
    lines += ["", f"{at:6.0f} s  levels, archive, table"]
    points = document["points"]
    lines += ["", *(f"{value:4} points {key.replace('_', ' ')}" for key, value in points.items())]
    lines += [f"left: {stage}: {some['pieces']} pieces, {some['seconds']} s"
              for stage, some in document["left"].items()]  # fmt: skip
    lines += [f"lacks {', '.join(some)}: {name}" for name, some in document["lacking"].items()]
    lines += ["", "wheels:", *(f"  {g}: {' '.join(r)}" for g, r in document["wheels"].items())]
    return "\n".join(lines)


def _lease(asked: argparse.Namespace, device: str, versions: dict[str, str], started: float) -> int:
    asked.out.mkdir(parents=True, exist_ok=True)
    out = asked.out.resolve()
    where = out / "rehearsed" if asked.rehearse else folder()
    for path in [] if asked.rehearse else set_aside(device, where):
        print(f"{path} cannot be read: it is set aside, and measured again.", file=sys.stderr)
    journal = journal_of(device, where)
    pieces = all_pieces(device, journal, versions)
    if asked.rehearse:  # the self-test is about a card
        pieces = [piece for piece in pieces if piece.stage is not Stage.SELFTEST]
    lease = Lease(
        journal=journal,
        versions=versions,
        remaining_s=lambda: asked.seconds - (time.monotonic() - started),
        out=out,
        archive=asked.archive or out / "lease.zip",
        say=lambda text: print(text, file=sys.stderr, flush=True),
        rehearse=asked.rehearse,
    )
    report = lease.run(pieces)
    document = {
        "device": device,
        "done": report.done,
        "failed": report.failed,
        "levels": report.levels,
        "left": _left(report.left),
        "lacking": lacking(pieces),
        "stopped": report.stopped,
        "not_packed": report.not_packed,
        "archive": str(lease.archive),
    }
    if asked.json:
        print(json.dumps(document, indent=1))
        return int(bool(report.stopped))
    failed = [f"failed: {name}: {said}" for name, said in report.failed.items()]
    left = [f"left: {p.name}: {p.seconds:.0f} s, {p.need.words}" for p in report.left[:_ROWS]]
    more = len(report.left) - _ROWS
    rest = [f"left: {more} more"] if more > 0 else []
    rest += [f"lacks {', '.join(some)}: {name}" for name, some in lacking(pieces).items()]
    rest += [f"does not fit into the archive: {name}" for name in report.not_packed]
    stopped = [f"Stopped: {report.stopped}"] if report.stopped else []
    head = f"{device}: {len(report.done)} pieces done. {document['archive']}"
    print("\n".join([head, *report.levels, *failed, *left, *rest, *stopped]))
    return int(bool(report.stopped))


if __name__ == "__main__":
    sys.exit(main())
