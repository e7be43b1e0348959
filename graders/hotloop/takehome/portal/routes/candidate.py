"""A candidate's page, behind their link: pack, upload, that it arrived, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
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

LATE = (
    "The upload came too late: it began before the deadline, but was not complete {:g} seconds "
    "after it, and was not taken. What you handed in before is kept. Write to the team."
)

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
        async with _form(request, portal, _deadline(portal, link) - received) as form:
            found = form.get(FIELD)
            if not isinstance(found, UploadFile) or not found.size:
                raise Refused(422, "No file was chosen: choose the zip that you have made.")
            await run_in_threadpool(arrivals.take, portal, link.pack, found.file, received)
    return RedirectResponse(f"/c/{link.token}", 303)


@asynccontextmanager
async def _form(request: Request, portal: Portal, left: timedelta) -> AsyncGenerator[FormData]:
    """The form, once it is complete. Refused when it is not soon enough after the deadline: what
    still comes then may have been written after it.

    left: until the deadline. Where that is over already, all that comes is refused by `take`.
    """
    late = timedelta(seconds=portal.settings.late_s)
    try:
        async with asyncio.timeout((left + late).total_seconds() if left >= timedelta() else None):
            form = await request.form(max_files=1, max_fields=4, max_part_size=1024)
    except TimeoutError:
        raise Refused(410, LATE.format(late.total_seconds()), hang_up=True) from None
    try:
        yield form
    finally:
        await form.close()


def _deadline(portal: Portal, link: Link) -> datetime:
    record = _record(portal, link)
    return standing.deadline(record, standing.manifest(portal.team, link.pack))


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
        late=round(portal.settings.late_s),
    )


def _record(portal: Portal, link: Link) -> PackRecord:
    """The pack's record. Where all about the candidate was deleted, the link ends with it."""
    try:
        return portal.team.pack(link.pack)
    except UnknownPack:
        links.end(portal.engine, link.pack)
        raise
