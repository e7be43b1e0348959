"""Shared by the portal's tests: an office, and browsers that visit it."""

import io
import re
import zipfile
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from starlette.testclient import TestClient
from starlette.types import ASGIApp

from hotloop.service.app import served
from hotloop.service.settings import Rates
from hotloop.service.takehome import links
from hotloop.service.takehome.portal import Portal
from hotloop.takehome.team import Team

from ..web import serving

ROLE = """\
format: 1
role: gpu_engineer
title: {title}
module: fused_softmax
tasks:
  - {{task: online_pass, weight: 1}}
  - {{task: explain, weight: 1}}
window_hours: 72
expires: 14
contact: hiring@example.org
privacy_notice: >-
  Example Inc. is responsible for your data, keeps them to decide about your application, and
  deletes them after the time that the instructions name.
"""
TITLE = "GPU engineer, inference"
MEMBER, PASSWORD = "anna", "correct horse battery"
NAMES = ("Ada Lovelace-Grünwald", "Grace Hopper-Østergård")
OFTEN = Rates(*["10000/minute"] * 8)
"""Rate limits that tests of other things do not reach."""


@dataclass
class Office:
    """A portal, and its two candidates."""

    portal: Portal
    packs: tuple[UUID, UUID]

    @property
    def team(self) -> Team:
        return self.portal.team

    def token(self, number: int = 0) -> str:
        link = links.current(self.portal.engine, self.portal.secret, self.packs[number])
        assert link is not None
        return link.token

    def page(self, number: int = 0) -> str:
        """Return the address of a candidate's own page."""
        return f"/c/{self.token(number)}"

    def audit(self) -> list[str]:
        return [
            f"{one['who']}: {one.get('what')}"
            for line in self.team.audited()
            if (one := line.document)
        ]


class Browser:
    """A browser without scripts: it keeps cookies, and sends forms as they are in the pages."""

    def __init__(self, portal: Portal, address: str = "192.0.2.1") -> None:
        self.client = TestClient(
            _served(portal),
            base_url=portal.settings.origin,
            raise_server_exceptions=False,
            follow_redirects=False,
            client=(address, 50000),
        )

    def get(self, path: str, **more: Any) -> Any:
        return self.client.get(path, **more)

    def post(self, path: str, data: dict[str, str] | None = None, **more: Any) -> Any:
        return self.client.post(path, data=data, **more)

    def log_in(self, name: str = MEMBER, password: str = PASSWORD) -> Any:
        token = field(self.get("/login").text, "token")
        return self.post("/login", {"name": name, "password": password, "token": token})

    def csrf(self) -> str:
        return field(self.get("/account").text, "csrf")

    def send(self, path: str, **data: str) -> Any:
        """Send a form of the team's pages."""
        return self.post(path, {"csrf": self.csrf(), **data})

    def upload(self, page: str, content: bytes, name: str = "submission.zip") -> Any:
        return self.post(f"{page}/submission", files={"submission": (name, content)})


def _served(portal: Portal) -> ASGIApp:
    """Return one application for all browsers of a portal: making it is slower than a request."""
    made = getattr(portal, "made_by_a_test", None)
    if made is None:
        made = served(portal)
        portal.made_by_a_test = made  # type: ignore[attr-defined]
    return made


def field(page: str, name: str) -> str:
    """Return the value of a hidden field."""
    found = re.search(rf'name="{name}" value="([^"]+)"', page)
    assert found is not None, f"there is no field {name} in {page}"
    return found[1]


def listening(portal: Portal) -> AbstractContextManager[int]:
    """Run a real server; yield its port."""
    return serving.listening(served(portal))


def zip_of(files: dict[str, bytes]) -> bytes:
    """Return a zip with these contents."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()
