"""A candidate's page, behind their link: pack, upload, that it arrived, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from hotloop.takehome import limits
from hotloop.takehome.portal import arrivals, links, standing
from hotloop.takehome.portal.answers import SENTENCES, Refused
from hotloop.takehome.portal.links import Link
from hotloop.takehome.portal.pages import page
from hotloop.takehome.portal.portal import Here, Portal, client, of
from hotloop.takehome.portal.settings import UPLOAD_BYTES
from hotloop.takehome.portal.standing import State
from hotloop.takehome.team import PackRecord, UnknownPack

FIELD = "submission"
_UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {FIELD: {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}

router = APIRouter(prefix="/c")


def opened(request: Request, token: Annotated[str, Path(max_length=100)]) -> Link:
    """The link. Refused when there is none such, or its time is over."""
    portal = of(request)
    found = links.find(portal.engine, token)
    if found is None:
        portal.rates.count("unknown", client(request))
        raise Refused(404, "There is no such link. Check that you have copied all of it.")
    if datetime.now(UTC) > found.works_until(_record(portal, found).deadline):
        raise Refused(410, SENTENCES[410])
    return found


Opened = Annotated[Link, Depends(opened)]


@router.get("/{token}")
def look(portal: Here, link: Opened) -> Response:
    """What a candidate needs to know now."""
    return _page(portal, link)


@router.post("/{token}/pack")
def download(portal: Here, link: Opened) -> Response:
    """The pack; with the first download the window begins.

    By POST: what looks at links in mails, before a person does, begins nobody's window.
    """
    one = standing.standing(portal.team, portal.queue, link.pack)
    now = datetime.now(UTC)
    if now < one.manifest.not_before:
        raise Refused(403, "It has not begun yet.")
    if now > one.deadline:
        raise Refused(410, "The time for it is over.")
    if one.record.started is None:
        portal.team.start(link.pack, now)
        portal.team.audit("candidate", f"{one.record.pseudonym} downloaded the pack")
    return FileResponse(
        portal.team.pack_file(link.pack),
        media_type="application/zip",
        filename=f"{one.record.pseudonym}.zip",
    )


@router.post("/{token}/submission", openapi_extra=_UPLOAD, max_body_size=UPLOAD_BYTES)
async def upload(request: Request, portal: Here, link: Opened) -> Response:
    """Take the work. The body is read once the link is known to be good."""
    received = datetime.now(UTC)
    portal.rates.count("upload", str(link.pack))
    with arrivals.place(portal, link.token):
        async with request.form(max_files=1, max_fields=4, max_part_size=1024) as form:
            found = form.get(FIELD)
            if not isinstance(found, UploadFile) or not found.size:
                raise Refused(422, "No file was chosen: choose the zip that you have made.")
            await run_in_threadpool(arrivals.take, portal, link.pack, found.file, received)
    return RedirectResponse(f"/c/{link.token}", 303)


def _page(portal: Portal, link: Link) -> Response:
    one = standing.standing(portal.team, portal.queue, link.pack)
    now = datetime.now(UTC)
    # A hand-in that was reopened may come again.
    may_upload = now <= one.deadline and (not one.record.submitted or one.record.reopened)
    return page(
        "candidate.html",
        link=link,
        one=one,
        begun=now >= one.manifest.not_before,
        may_download=now <= one.deadline,
        may_upload=may_upload,
        is_over=one.state is State.OVER,
        digest=one.record.submitted[-1].digest if one.record.submitted else "",
        minutes=round(sum(task.minutes for task in one.manifest.tasks.values())),
        largest=limits.MAX_UPLOAD >> 20,
    )


def _record(portal: Portal, link: Link) -> PackRecord:
    """The pack's record. Where all about the candidate was deleted, the link ends with it."""
    try:
        return portal.team.pack(link.pack)
    except UnknownPack:
        links.end(portal.engine, link.pack)
        raise
