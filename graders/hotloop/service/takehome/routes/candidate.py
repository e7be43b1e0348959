"""The candidate's page behind their link: pack, upload and confirmation."""

import asyncio
import shutil
import tempfile
import zipfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, BinaryIO
from uuid import UUID

from fastapi import APIRouter, Depends
from fastapi import Path as InPath
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from hotloop.learn.pack import limits
from hotloop.service.pages import page
from hotloop.service.settings import UPLOAD_BYTES, own_folder
from hotloop.service.takehome import links, standing
from hotloop.service.takehome.links import Link
from hotloop.service.takehome.portal import OVER, Here, Portal
from hotloop.service.takehome.standing import CandidateState
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.headers import REPORT_POLICY
from hotloop.service.web.site import unknown
from hotloop.service.web.uploads import place
from hotloop.takehome import feedback, instructions
from hotloop.takehome.archive import Refusal, RefusedSubmission
from hotloop.takehome.pack import INSTRUCTIONS
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import PackRecord, TeamError, UnknownPack
from hotloop.tasks import curriculum

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

router = APIRouter(prefix="/c", default_response_class=Response)


def opened(request: Request, portal: Here, token: Annotated[str, InPath(max_length=100)]) -> Link:
    """Return the link. Raises Refused if it does not exist or has expired.

    With feedback to read it works as long as the candidate's data are kept.
    """
    link = links.find(portal.engine, token)
    if link is None:
        raise unknown(request, 404, "There is no such link. Check that you have copied all of it.")
    record = _record(portal, link)
    has_feedback = portal.team.report_path(link.pack).with_name(feedback.NAME).is_file()
    later = record.keep_until if has_feedback else record.deadline
    if datetime.now(UTC) > link.works_until(later):
        raise RequestRefused(410, OVER)
    return link


Opened = Annotated[Link, Depends(opened)]


@router.get("/{token}")
def look(portal: Here, link: Opened) -> Response:
    """Show the candidate's page."""
    return _page(portal, link)


@router.get("/{token}/instructions")
def rules(portal: Here, link: Opened) -> Response:
    """Show the pack's instructions; reading them does not start the time window."""
    record = portal.team.pack(link.pack)
    with zipfile.ZipFile(portal.team.pack_file(link.pack)) as archive:
        return _document(archive.read(f"{record.pseudonym}/{INSTRUCTIONS}"))


def _document(data: bytes) -> Response:
    """Send a page with styles of its own, under a policy that blocks scripts."""
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return Response(data, media_type="text/html; charset=utf-8", headers=headers)


@router.get("/{token}/feedback")
def read_feedback(portal: Here, link: Opened) -> Response:
    """Show the team's feedback."""
    published = feedback.read(portal.team, link.pack)
    if published is None:
        raise RequestRefused(404, "There is no feedback yet.")
    manifest = standing.manifest(portal.team, link.pack)
    text = feedback.markdown(published, manifest)
    return _document(instructions.instructions_html(text, manifest.title).encode())


@router.post("/{token}/pack")
def download(portal: Here, link: Opened) -> Response:
    """Send the pack; the first download starts the time window.

    A POST request, so that link scanners of mail systems do not start it.
    """
    one = standing.standing(portal.team, portal.queue, link.pack)
    now = datetime.now(UTC)
    if now < one.manifest.not_before:
        raise RequestRefused(403, "It has not begun yet.")
    if now > one.deadline:
        raise RequestRefused(410, "The time for it is over.")
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
    """Receive a submission. The body is read after the link has been checked."""
    received = datetime.now(UTC)
    portal.rates.count("upload", str(link.pack))
    with place(portal.site, link.token, portal.settings.submissions, [portal.team.folder]):
        signed = standing.manifest(portal.team, link.pack)
        deadline = _record(portal, link).until(signed)
        async with _form(request, portal, deadline - received) as form:
            file = form.get(FIELD)
            if not isinstance(file, UploadFile) or not file.size:
                raise RequestRefused(422, "No file was chosen: choose the zip that you have made.")
            await run_in_threadpool(take, portal, link.pack, file.file, received)
    return RedirectResponse(f"/c/{link.token}", 303)


@asynccontextmanager
async def _form(request: Request, portal: Portal, left: timedelta) -> AsyncGenerator[FormData]:
    """Parse the form. Raises Refused if it is complete too long after the deadline.

    Such an upload could contain work done after the deadline. left: time until the deadline; if it
    is negative, `take` refuses the submission.
    """
    late = timedelta(seconds=portal.settings.late_s)
    try:
        async with asyncio.timeout((left + late).total_seconds() if left >= timedelta() else None):
            form = await request.form(max_files=1, max_fields=4, max_part_size=1024)
    except TimeoutError:
        raise RequestRefused(410, LATE.format(late.total_seconds()), hang_up=True) from None
    try:
        yield form
    finally:
        await form.close()


def _page(portal: Portal, link: Link) -> Response:
    one = standing.standing(portal.team, portal.queue, link.pack)
    now = datetime.now(UTC)
    module = curriculum.load_module(one.manifest.module)
    # After a hand-in was reopened, one more is allowed.
    may_upload = now <= one.deadline and one.record.awaited
    return page(
        "candidate.html",
        link=link,
        one=one,
        begun=now >= one.manifest.not_before,
        may_download=now <= one.deadline,
        may_upload=may_upload,
        is_over=one.state is CandidateState.OVER,
        digest=one.record.submitted[-1].digest if one.record.submitted else "",
        duration=instructions.duration(one.manifest),
        tasks=[module.task(name).title for name in one.manifest.tasks],
        needs=instructions.needs(one.manifest),
        assistants=instructions.ASSISTANT_RULES[one.manifest.assistants],
        keep_until=one.record.keep_until,
        has_feedback=feedback.read(portal.team, link.pack) is not None,
        notice=one.manifest.privacy_notice.split("\n\n"),
        largest=limits.MAX_UPLOAD >> 20,
        late=round(portal.settings.late_s),
    )


def _record(portal: Portal, link: Link) -> PackRecord:
    """Return the pack's record. If the candidate's data was deleted, delete the link too."""
    try:
        return portal.team.pack(link.pack)
    except UnknownPack:
        links.end(portal.engine, link.pack)
        raise


_STATUS = {
    Refusal.TOO_LARGE: 413,
    Refusal.REPLAYED: 409,
    Refusal.EXPIRED: 410,
    Refusal.OUTSIDE_WINDOW: 410,
}


def take(portal: Portal, pack: UUID, stream: BinaryIO, received: datetime) -> None:
    """Store a submission and queue it. Raises Refused with the reason; nothing is stored then.

    received: start of the upload, so that a slow connection or a busy server does not make it late.
    Raises TeamError or ForgedManifest if the team's files are damaged or were deleted.
    """
    with portal.opening, _copied(portal, stream) as path:
        try:
            submission = open_submission(path, portal.team, received=received, expected_pack=pack)
        except RefusedSubmission as error:
            # If the candidate was deleted in the meantime, there is no pseudonym to log.
            with suppress(UnknownPack):
                pseudonym = portal.team.pack(pack).pseudonym
                portal.team.audit(
                    "candidate", f"{pseudonym} was refused a submission: {error.code}"
                )
            raise RequestRefused(_STATUS.get(error.code, 422), error.sentence) from None
        is_new = submission.digest not in [one.digest for one in portal.team.pack(pack).submitted]
        _keep(portal, submission, path)
    # The submission is safe now: if the process is killed, `Queue.reconcile` queues it.
    portal.queue.add(pack, submission.digest)
    what = "handed in" if is_new else "sent again what had arrived"
    portal.team.audit("candidate", f"{submission.manifest.pseudonym} {what}")


@contextmanager
def _copied(portal: Portal, stream: BinaryIO) -> Generator[Path]:
    """Copy the upload to a temporary file under a name that the portal chooses."""
    with tempfile.NamedTemporaryFile(dir=own_folder(portal.team.folder), suffix=".zip") as file:
        stream.seek(0)
        shutil.copyfileobj(stream, file)
        file.flush()
        yield Path(file.name)


def _keep(portal: Portal, submission: Submission, path: Path) -> None:
    try:
        portal.team.keep(submission, path)
    except UnknownPack:
        raise
    except TeamError:
        # Another submission was stored since this one was opened.
        raise RequestRefused(409, "Work on this pack was handed in already.") from None
