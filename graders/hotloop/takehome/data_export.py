"""A copy of all data about one candidate, for the candidate (Article 15 GDPR).

Other candidates are not named in it, nor are the reviewers. Left out are the questions that were
chosen for the interview, with their answers: they are the team's, and say nothing about the
candidate that the report does not say.
"""

import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hotloop.learn.pack.manifest import Manifest
from hotloop.takehome import feedback, report_page, scorecard, viva
from hotloop.takehome.report import HTML_NAME, JSON_NAME, UnreadableReport, read_report, to_json
from hotloop.takehome.team import PackRecord, Team

_READ_ME = """\
All data that {who} stores about your exercise "{title}", as of {now:%Y-%m-%d %H:%M} UTC.

data.json             your name, pseudonym, dates, deadlines, extra time, the terms of the exercise,
                      the log of who did what with your data, and the portal's entries
submissions/          what you handed in, in order
report.html, .json    what was measured, and signals for people to look at; other candidates are
                      not named
reviews/              people's marks, reasons and decisions; reviewers have numbers
viva.json             your predictions in the interview, if there were any
feedback.json         what was written to you, if anything

Source of the data: you, the person who invited you (your name), and the programs and people who
graded your work. Purposes, recipients, how long and your rights:

{notice}
"""


def export(
    team: Team, pack: UUID, who: str, portal: Mapping[str, Any] | None = None
) -> tuple[str, bytes]:
    """Return a file name and a zip with all data about a candidate, the name among it.

    portal: what the portal's database has about the pack. The audit log records the export. Raises
    UnknownPack, or KeyMissing if the name cannot be unsealed.
    """
    record, manifest = team.pack(pack), team.manifest(pack)
    contents = dict(_contents(team, record, manifest, portal or {}))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(f"{record.pseudonym}-data/{name}", data)
    team.audit(who, f"exported all data of {record.pseudonym}")
    return f"{record.pseudonym}-data.zip", stream.getvalue()


def _contents(
    team: Team, record: PackRecord, manifest: Manifest, portal: Mapping[str, Any]
) -> Iterator[tuple[str, bytes]]:
    others = [one.pseudonym for one in team.readable_packs()[0] if one.pack != record.pack]
    now = datetime.now(UTC)
    yield (
        "README.txt",
        _READ_ME.format(
            who=manifest.contact, title=manifest.title, now=now, notice=manifest.privacy_notice
        ).encode(),
    )
    yield (
        "data.json",
        _json(
            {
                "name": team.name_for_export(record.pseudonym),
                "record": record.model_dump(mode="json"),
                "terms": manifest.model_dump(mode="json"),
                "log": list(_log(team, record, others)),
                "portal": dict(portal),
            }
        ),
    )
    for number, path in enumerate(team.submissions(record.pack), 1):
        if path.is_file():
            yield f"submissions/{number}.zip", path.read_bytes()
    yield from _results(team, record, others)


def _results(team: Team, record: PackRecord, others: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    path = team.report_path(record.pack)
    with suppress(UnreadableReport):
        report = read_report(path).model_copy(update={"follow_ups": []})
        yield JSON_NAME, _unnamed(to_json(report), others).encode()
        yield HTML_NAME, _unnamed(report_page.page(report), others).encode()
    reviews = [
        json.loads(one.read_bytes())
        for one in sorted(path.with_name(scorecard.VERSIONS).glob("*.json"))
    ]
    names = list(dict.fromkeys(str(review.get("by")) for review in reviews))
    for review in reviews:
        number = names.index(str(review.get("by"))) + 1
        text = _json({**review, "by": f"reviewer {number}"}).decode()
        yield f"reviews/{review.get('version')}.json", _unnamed(text, others).encode()
    for name, source in (("viva.json", viva.ANSWERS), (feedback.NAME, feedback.NAME)):
        if (file := path.with_name(source)).is_file():
            document = {**json.loads(file.read_bytes()), "by": "a member of the team"}
            yield name, _unnamed(_json(document).decode(), others).encode()


def _log(team: Team, record: PackRecord, others: Sequence[str]) -> Iterator[dict[str, str]]:
    for line in team.audited():
        document = line.document or {}
        what = str(document.get("what", ""))
        if record.pseudonym in what or str(record.pack) in what:
            who = document.get("who")
            yield {
                "at": str(document.get("at", "")),
                "who": "you" if who == "candidate" else "a member or program of the team",
                "what": _unnamed(what, others),
            }


def _unnamed(text: str, others: Sequence[str]) -> str:
    """Replace the pseudonyms of other candidates."""
    if not others:
        return text
    return re.sub("|".join(map(re.escape, others)), "another candidate", text)


def _json(document: object) -> bytes:
    return (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode()
