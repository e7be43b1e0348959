"""A team's day at the portal in its container: one candidate is invited, hands in and is graded."""

import base64
import json
import re
import secrets
import time
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any
from urllib.parse import urlencode

from containers import PORTAL, Containers, Failed, step, wait

from hotloop.takehome.role import WHEEL

MODULE = "fused_softmax"
ROLE = f"""\
format: 1
role: engineer
title: An engineer
module: {MODULE}
tasks:
  - {{task: online_pass, weight: 1}}
window_hours: 72
contact: hiring@example.org
privacy_notice: >-
  Example Inc. is responsible for your data, keeps them to decide about your application, and
  deletes them after the time that the instructions name.
expires: 14
wheel: {WHEEL}
"""
WRITE_ROLE = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text(sys.argv[2])"
WORK = f"""
import base64, sys, tempfile, zipfile
from pathlib import Path
from uuid import UUID
from hotloop.tasks.render import submission
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team
team, pack = Team(Path("/team")), UUID(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(team.pack_file(pack)) as archive:
        archive.extractall(folder)
    [work] = Path(folder).iterdir()
    files = submission({MODULE!r}, variant=team.variant(pack))
    (work / "lab.ipynb").write_bytes(files["lab.ipynb"])
    print(base64.b64encode(make_submission(work).read_bytes()).decode())
"""
"""What a candidate hands in who has solved it."""

GRADED_S = 300.0


class Browser:
    """Keeps cookies, and sends forms as pages gave them."""

    def __init__(self) -> None:
        cookies = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def get(self, path: str) -> str:
        """A page."""
        with self._opener.open(PORTAL + path, timeout=60) as answer:
            return answer.read().decode()

    def send(self, path: str, **fields: str) -> tuple[str, bytes]:
        """A form; the address that it led to, and what is there."""
        return self._post(path, urlencode(fields).encode(), "application/x-www-form-urlencoded")

    def upload(self, path: str, content: bytes) -> str:
        """The one file of a candidate's page; the page that follows."""
        line = secrets.token_hex(16)
        head = 'Content-Disposition: form-data; name="submission"; filename="submission.zip"'
        body = f"--{line}\r\n{head}\r\n\r\n".encode() + content + f"\r\n--{line}--\r\n".encode()
        return self._post(path, body, f"multipart/form-data; boundary={line}")[1].decode()

    def _post(self, path: str, body: bytes, kind: str) -> tuple[str, bytes]:
        headers = {"Content-Type": kind, "Origin": PORTAL}
        request = urllib.request.Request(PORTAL + path, body, headers)
        with self._opener.open(request, timeout=60) as answer:
            return answer.geturl().removeprefix(PORTAL), answer.read()


def play(containers: Containers) -> None:
    """All of it. Failed says what was not as it should be."""
    password = ""

    def begin() -> None:
        nonlocal password
        words = ("--module", MODULE, "--role", "engineer", "--company", "Example Inc.")
        words += ("--contact", "hiring@example.org")
        containers.once("portal", "hotloop", "takehome", "init", "/team", *words)
        path = "/team/roles/engineer/takehome.yaml"
        containers.once("portal", "python", "-c", WRITE_ROLE, path, ROLE)
        words = ("account", "grace", "--generate", "--json")
        said = containers.once("portal", "hotloop", "takehome", *words)
        password = json.loads(said[said.index("{") :])["password"]

    step("A team, a role, an account", begin)
    step("Starting the portal", lambda: containers.call("up", "-d", "portal"))
    step("Waiting until it is healthy", lambda: wait(containers, ["portal"]))
    _look(containers)
    step("Inviting, handing in, grading", lambda: _day(containers, password))


def _look(containers: Containers) -> None:
    if containers.say("portal", "id", "--user", "--name").strip() == "root":
        raise Failed("the portal runs as root")
    told = json.loads(containers.say("portal", "hotloop", "doctor", "--json"))
    found = next(each for each in told["findings"] if each["name"] == "sandbox")
    if found["state"] != "ok":
        raise Failed(f"no sandbox in the portal: {found['found']}")
    if "service.db" in containers.say("portal", "ls", "/team/portal"):
        raise Failed("the portal's database is a file, and not PostgreSQL")


def _day(containers: Containers, password: str) -> None:
    grace, candidate = Browser(), Browser()
    token = _field(grace.get("/login"), "token")
    grace.send("/login", name="grace", password=password, token=token)
    csrf = _field(grace.get("/account"), "csrf")
    address, page = grace.send("/candidates", csrf=csrf, role="engineer", name="Ada Lovelace")
    pack = address.removeprefix("/candidates/").partition("?")[0]
    link = re.search(r"/c/[A-Za-z0-9_-]{43}", page.decode())
    if link is None:
        raise Failed(f"there is no link on {address}")
    candidate.send(f"{link[0]}/pack")
    work = base64.b64decode(containers.say("portal", "python", "-c", WORK, pack))
    if "has arrived" not in candidate.upload(f"{link[0]}/submission", work):
        raise Failed("the work has not arrived")
    report = _report(grace, pack)
    print(f"   score {report['score']}, isolation {report['environment']['isolation']}", flush=True)
    if report["score"]["low"] < 99 or report["environment"]["isolation"] != "bubblewrap":
        raise Failed("the reference was not graded as it should be")


def _report(grace: Browser, pack: str) -> Any:
    deadline = time.monotonic() + GRADED_S
    while time.monotonic() < deadline:
        try:
            return json.loads(grace.get(f"/candidates/{pack}/report.json"))
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
        time.sleep(2)
    raise Failed(f"no report after {GRADED_S:.0f} s: {grace.get(f'/candidates/{pack}')}")


def _field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', page)
    if found is None:
        raise Failed(f"there is no field {name} in {page}")
    return found[1]
