"""LTI 1.3: launches from an LMS, and scores that are sent back; and attacks, which must fail."""

import base64
import hmac
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

pytest.importorskip("jwt", reason="the group `lti` is not installed")

import yaml
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from jwt.algorithms import RSAAlgorithm
from sqlalchemy import select, update
from starlette.testclient import TestClient

from hotloop import __version__
from hotloop.core import paths
from hotloop.core.record import CheckRecord, summarize
from hotloop.core.transactions import reading, writing
from hotloop.core.verdict import Verdict
from hotloop.core.whole_file import create_private
from hotloop.core.yaml_lines import CurriculumError
from hotloop.judge.client import JudgeProcess
from hotloop.service.app import served
from hotloop.service.course import people
from hotloop.service.course.lti import sending
from hotloop.service.course.lti.platforms import FILE, Platforms
from hotloop.service.course.lti.tool import KEY
from hotloop.service.course.service import Service
from hotloop.service.settings import ServiceSettings
from hotloop.service.tables import accounts, lti_items, lti_logins
from hotloop.service.tables import jobs as job_rows
from hotloop.service.web.accounts import AccountError
from hotloop.service.web.headers import ALWAYS
from hotloop.service.web.rates import RateLimits
from hotloop.tasks.curriculum import load_module

from ..waiting import until
from . import quick
from .conftest import OFTEN, School
from .lms import CLAIM, GRADES, ROLE, Lms, drawn, form_of, lms
from .web.serving import listening

MODULE = "ssa_passes"


class Browser:
    """The browser of a user who is logged in to the LMS. It keeps cookies."""

    def __init__(self, school: School, platform: Lms) -> None:
        self.school, self.lms = school, platform
        self.client = TestClient(
            served(school.service),
            base_url=school.service.settings.origin,
            follow_redirects=False,
            raise_server_exceptions=False,
        )

    def begins(self, user: str, **changes: str) -> Any:
        """Return the tool's answer to the LMS's login initiation."""
        return self.client.post(
            "/lti/login",
            data=self.lms.initiation(user, **changes),
            headers={"Origin": self.lms.url, "Sec-Fetch-Site": "cross-site"},
        )

    def logs_in(self, user: str) -> dict[str, str]:
        """Begin a login; return the form that the LMS's page would send to the tool."""
        with urlopen(self.begins(user).headers["location"]) as answer:
            return form_of(answer.read().decode())

    def sends(self, form: dict[str, str]) -> Any:
        return self.client.post(
            "/lti/launch",
            data=form,
            headers={"Origin": self.lms.url, "Sec-Fetch-Site": "cross-site"},
        )

    def launches(self, user: str, change: Callable[[dict[str, Any]], Any] | None = None) -> Any:
        """Go from the link in the course to the tool's page. change: alters the LMS's claims."""
        where = urlsplit(self.begins(user).headers["location"])
        asked = {name: values[0] for name, values in parse_qs(where.query).items()}
        claims = self.lms.claims(user, asked["nonce"])
        if change is not None:
            change(claims)
        return self.sends({"state": asked["state"], "id_token": self.lms.signed(claims)})


@pytest.fixture
def platform() -> Iterator[Lms]:
    with lms(back="http://127.0.0.1:8000/lti/launch") as found:
        yield found


@pytest.fixture
def school(platform: Lms, opened: Callable[..., School], tmp_path: Any) -> School:
    return registered(opened, tmp_path, platform)


def registered(opened: Callable[..., School], folder: Any, *platforms: Lms) -> School:
    """Open a service at which these LMS are registered."""
    where = folder / "service0"
    where.mkdir()
    create_private(where / KEY, pem())
    document = {"platforms": [one.registration() for one in platforms]}
    (where / FILE).write_text(yaml.safe_dump(document))
    school = opened()
    assert school.service.tool is not None
    for one in platforms:
        one.tool_keys = json.loads(school.ask("", "GET", "/lti/jwks").text)
    return school


@cache
def pem() -> bytes:
    """A private key for the tool, created once for all tests."""
    how = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return drawn().private_bytes(*how)


@pytest.fixture
def browser(school: School, platform: Lms) -> Browser:
    return Browser(school, platform)


def token_of(school: School, page: Any) -> str:
    """Return the token that `hotloop login` gets for the link of a page."""
    assert page.status_code == 200, page.text
    (secret,) = re.findall(r"hotloop login http://127.0.0.1:8000/join/([\w-]{43})", page.text)
    answer = school.ask("", "POST", "/api/login", json={"invitation": secret})
    return answer.json()["token"]


def roles(school: School) -> dict[str, str]:
    with reading(school.service.engine) as connection:
        rows = connection.execute(select(accounts.c.name, accounts.c.role))
        return {row.name: row.role for row in rows}


def passed_on(school: School) -> int:
    assert school.service.tool is not None
    return sending.pass_on(school.service.engine, school.service.tool)


# --- coming in ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_learner_comes_in(school: School, browser: Browser) -> None:
    page = browser.sends(browser.logs_in("u1"))
    for name, value in ALWAYS.items():
        assert page.headers[name] == value
    assert f"hotloop start {MODULE}" in page.text
    assert "Your best score" in page.text
    school.tokens["u1"] = token_of(school, page)
    assert school.put("u1").status_code == 202
    assert sorted(roles(school).values()) == ["instructor", "learner", "learner", "learner"]
    # Again, it is the same account.
    before = roles(school)
    assert browser.sends(browser.logs_in("u1")).status_code == 200
    assert roles(school) == before


@pytest.mark.slow
def test_an_instructor_gets_the_pages(school: School, browser: Browser) -> None:
    answer = browser.launches("u9", as_role("Instructor"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/queue")
    assert "The queue is empty" in browser.client.get("/queue").text
    # The LMS says of its people who they are: somebody who teaches no more sees nothing more.
    assert browser.launches("u9").status_code == 200
    assert browser.client.get("/queue").status_code == 403
    assert sorted(roles(school).values()) == ["instructor", "learner", "learner", "learner"]


@pytest.mark.slow
def test_the_login_may_be_a_link(browser: Browser) -> None:
    answer = browser.client.get("/lti/login", params=browser.lms.initiation("u1"))
    assert answer.headers["location"].startswith(f"{browser.lms.url}/auth?")


@pytest.mark.slow
def test_cookies_of_a_login_come_with_a_form_of_the_lms(
    platform: Lms, opened: Callable[..., School], tmp_path: Any
) -> None:
    (tmp_path / "service0").mkdir()
    document = {"platforms": [platform.registration()]}
    (tmp_path / "service0" / FILE).write_text(yaml.safe_dump(document))
    secure = opened(base_url="https://judge.example")
    cookie = Browser(secure, platform).begins("u1").headers["set-cookie"]
    assert cookie.startswith("__Host-")
    for word in ("Secure", "HttpOnly", "SameSite=none", "Path=/"):
        assert word in cookie


@pytest.mark.slow
def test_two_links_may_be_opened_at_once(browser: Browser) -> None:
    first, second = browser.logs_in("u1"), browser.logs_in("u1")
    assert [browser.sends(form).status_code for form in (first, second)] == [200, 200]


@pytest.mark.slow
def test_a_link_may_name_no_module_and_take_no_score(school: School, browser: Browser) -> None:
    def bare(claims: dict[str, Any]) -> None:
        claims[f"{CLAIM}target_link_uri"] = "http://127.0.0.1:8000/lti/launch"
        del claims[GRADES], claims["email"]

    page = browser.launches("u1", bare)
    assert "hotloop start" not in page.text
    assert "hotloop login" in page.text
    assert items(school) == []
    assert [name for name in roles(school) if name.startswith("lti-")]


@pytest.mark.slow
def test_a_link_to_no_module_says_so(browser: Browser) -> None:
    page = browser.launches("u1", to_module("no_such_module"))
    assert page.status_code == 422
    assert "no_such_module" in page.text


@pytest.mark.slow
def test_keys_of_the_lms_may_change(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    assert browser.launches("u1").status_code == 200
    browser.lms.key, browser.lms.kid = drawn(), "second"
    # A key that is not known is asked for, but not for each launch.
    assert browser.launches("u1").status_code == 403
    now = time.monotonic()
    monkeypatch.setattr("jwt.jwks_client.time.monotonic", lambda: now + 60)
    assert browser.launches("u1").status_code == 200


@pytest.mark.slow
def test_a_service_without_an_lms_has_no_such_pages(opened: Callable[..., School]) -> None:
    school = opened()
    assert school.service.tool is None
    for method, path in (("GET", "/lti/jwks"), ("POST", "/lti/launch"), ("POST", "/lti/login")):
        assert school.ask("", method, path).status_code == 404


@pytest.mark.slow
def test_our_key_is_drawn_once_and_nobody_elses(
    platform: Lms, opened: Callable[..., School], tmp_path: Any
) -> None:
    folder = tmp_path / "service0"
    folder.mkdir()
    (folder / FILE).write_text(yaml.safe_dump({"platforms": [platform.registration()]}))
    keys = [opened(folder=folder).ask("", "GET", "/lti/jwks").json()["keys"]]
    assert (folder / KEY).stat().st_mode & 0o077 == 0
    again = Service.open(ServiceSettings(folder=folder))
    assert again.tool is not None
    keys.append(again.tool.jwks()["keys"])
    again.close()
    assert keys[0] == keys[1]
    assert keys[0][0].keys() == {"kty", "n", "e", "use", "alg", "kid"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [{"deployments": []}, {"jwks_url": "file:///etc/passwd"}, {"secret": "x"}, {"issuer": ""}],
)
def test_a_registration_that_is_none_is_refused(
    platform: Lms, opened: Callable[..., School], tmp_path: Any, change: dict[str, Any]
) -> None:
    (tmp_path / "service0").mkdir()
    document = {"platforms": [{**platform.registration(), **change}]}
    (tmp_path / "service0" / FILE).write_text(yaml.safe_dump(document))
    with pytest.raises(CurriculumError, match=FILE):
        opened()


def test_the_example_on_the_page_is_a_registration() -> None:
    page = (paths.root() / "site" / "pages" / "one-gpu-for-a-class.md").read_text()
    (example,) = re.findall(r"```yaml\n(platforms:.*?)```", page, re.DOTALL)
    found = Platforms.model_validate(yaml.safe_load(example))
    assert found.find("https://canvas.instructure.com") == found.platforms[1]


# --- attacks --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_launch_works_once(browser: Browser) -> None:
    form = browser.logs_in("u1")
    cookies = dict(browser.client.cookies)
    assert browser.sends(form).status_code == 200
    # Also with the cookie that was deleted.
    browser.client.cookies.update(cookies)
    assert "was used before" in refused(browser, form)


@pytest.mark.slow
def test_a_nonce_of_another_login_is_refused(browser: Browser) -> None:
    old, new = browser.logs_in("u1"), browser.logs_in("u1")
    assert "another login" in refused(browser, {**new, "id_token": old["id_token"]})


@pytest.mark.slow
def test_keys_that_are_none_are_no_fault(browser: Browser) -> None:
    browser.lms.is_moved = True
    assert "not valid" in refused(browser, {**browser.logs_in("u1"), "id_token": "a.b.c"})
    assert "not valid" in forged(browser, browser.lms.signed)


@pytest.mark.slow
def test_a_login_that_took_too_long_is_over(school: School, browser: Browser) -> None:
    form = browser.logs_in("u1")
    with writing(school.service.engine) as connection:
        past = datetime.now(UTC) - timedelta(seconds=1)
        connection.execute(update(lti_logins).values(expires=past))
    assert "took too long" in refused(browser, form)


@pytest.mark.slow
@pytest.mark.parametrize("state", ["", "x", "x" * 43, "é"])
def test_a_state_that_was_not_given_is_refused(browser: Browser, state: str) -> None:
    form = browser.logs_in("u1")
    answer = browser.sends({**form, "state": state})
    assert answer.status_code in (403, 422)


@pytest.mark.slow
def test_without_a_state_nothing_is_believed(browser: Browser) -> None:
    form = browser.logs_in("u1")
    assert browser.sends({"id_token": form["id_token"]}).status_code == 422


@pytest.mark.slow
def test_nobody_is_made_to_come_in_as_somebody_else(school: School, browser: Browser) -> None:
    """The attacker's own launch, sent by a victim's browser."""
    form = browser.logs_in("mallory")
    victim = Browser(school, browser.lms)
    assert "not begun in this browser" in refused(victim, form)
    # Nor does it help to begin a login there.
    victim.begins("u1")
    assert "not begun in this browser" in refused(victim, form)


@pytest.mark.slow
def test_a_signature_of_another_key_is_refused(browser: Browser) -> None:
    assert "not valid" in forged(browser, lambda claims: browser.lms.signed(claims, key=drawn()))


@pytest.mark.slow
def test_a_key_of_another_name_is_refused(browser: Browser) -> None:
    for kid in ("other", "../jwks", None):
        sign = lambda claims, kid=kid: browser.lms.signed(claims, headers={"kid": kid})  # noqa: E731
        if kid is None:
            sign = lambda claims: browser.lms.signed(claims, headers={})  # noqa: E731
        assert "not valid" in forged(browser, sign)


@pytest.mark.slow
def test_a_token_that_brings_its_key_is_refused(browser: Browser) -> None:
    """Only the LMS's key counts, whatever the token says about keys."""
    own = drawn()
    public = {**RSAAlgorithm.to_jwk(own.public_key(), as_dict=True), "kid": browser.lms.kid}
    named = {"kid": browser.lms.kid, "jwk": public, "jku": "http://127.0.0.1:1/jwks"}
    sign = lambda claims: browser.lms.signed(claims, key=own, headers=named)  # noqa: E731
    assert "not valid" in forged(browser, sign)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["none", "None", "HS256"])
def test_a_token_chooses_no_algorithm(browser: Browser, algorithm: str) -> None:
    """Unsigned, and signed with the LMS's public key as the secret."""

    def part(document: dict[str, Any]) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(document).encode()).rstrip(b"=")

    def sign(claims: dict[str, Any]) -> str:
        head = {"typ": "JWT", "alg": algorithm, "kid": browser.lms.kid}
        body = part(head) + b"." + part(claims)
        public = browser.lms.key.public_key()
        secret = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        mark = b""
        if algorithm == "HS256":
            digest = hmac.digest(secret, body, "sha256")
            mark = base64.urlsafe_b64encode(digest).rstrip(b"=")
        return (body + b"." + mark).decode()

    assert "not valid" in forged(browser, sign)


@pytest.mark.slow
@pytest.mark.parametrize("token", ["", "x", "a.b.c", "....", "é.é.é", "x" * 33_000])
def test_what_is_no_token_is_refused(browser: Browser, token: str) -> None:
    form = browser.logs_in("u1")
    assert browser.sends({**form, "id_token": token}).status_code in (400, 403)


OTHER_CLAIMS = {
    "another issuer": {"iss": "https://evil.example"},
    "another tool": {"aud": "tool-2"},
    "several tools": {"aud": ["tool-1", "tool-2"], "azp": "tool-2"},
    "expired": {"exp": 1},
    "expires never": {"exp": None},
    "issued tomorrow": {"iat": int(time.time()) + 86_400},
    "not yet": {"nbf": int(time.time()) + 86_400},
    "another deployment": {f"{CLAIM}deployment_id": "2:xyz"},
    "no deployment": {f"{CLAIM}deployment_id": None},
    "another message": {f"{CLAIM}message_type": "LtiDeepLinkingRequest"},
    "another version": {f"{CLAIM}version": "1.1"},
    "nobody": {"sub": None},
    "nobody's name": {"sub": ""},
    "no nonce": {"nonce": None},
    "a target that is no address": {f"{CLAIM}target_link_uri": "http://["},
    "a role that is no list": {f"{CLAIM}roles": f"{ROLE}Instructor"},
    "a line item of another scheme": {GRADES: {"scope": [], "lineitem": "file:///etc/passwd"}},
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OTHER_CLAIMS)
def test_other_claims_are_refused(school: School, browser: Browser, what: str) -> None:
    """All are signed by the LMS."""

    def change(claims: dict[str, Any]) -> None:
        for name, value in OTHER_CLAIMS[what].items():
            if value is None:
                del claims[name]
            else:
                claims[name] = value

    before = roles(school)
    answer = browser.launches("u1", change)
    assert answer.status_code == 403, answer.text
    assert "hotloop login" not in answer.text
    assert roles(school) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [{"iss": "https://evil.example"}, {"client_id": "tool-2"}, {"login_hint": "x" * 5000}],
)
def test_a_login_of_a_stranger_goes_nowhere(browser: Browser, changes: dict[str, str]) -> None:
    answer = browser.begins("u1", **changes)
    assert answer.status_code in (403, 422)
    assert "location" not in answer.headers
    assert "set-cookie" not in answer.headers


@pytest.mark.slow
def test_a_role_is_not_forged(school: School, browser: Browser) -> None:
    """The role is the signed one, and only the role in the course counts."""
    form = browser.logs_in("u1")
    assert browser.sends({**form, "roles": f"{ROLE}Instructor"}).status_code == 200
    institution = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#"
    for role in (f"{institution}Instructor", f"{ROLE}Learner#Instructor", "Instructor"):
        change = {f"{CLAIM}roles": [role]}
        browser.launches("u1", lambda claims, change=change: claims.update(change))
        assert browser.client.get("/queue").status_code == 401
    head, _, mark = browser.logs_in("u1")["id_token"].split(".")
    claims = browser.lms.claims("u1", "x")
    as_role("Instructor")(claims)
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    assert "not valid" in refused(
        browser, {**browser.logs_in("u1"), "id_token": f"{head}.{body}.{mark}"}
    )
    assert sorted(roles(school).values()) == ["instructor", "learner", "learner", "learner"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "email", ["grace", "head@uni.example", "../x", "a+b@uni.example", "", "x" * 400, "lti-0"]
)
@pytest.mark.parametrize("invited_first", [True, False])
def test_an_email_address_of_the_lms_is_nobodys_account(
    school: School, browser: Browser, email: str, invited_first: bool
) -> None:
    """The LMS may let its people write what they like there."""
    if invited_first:
        people.invite(school.service.engine, "head@uni.example")
    browser.launches("u1", lambda claims: claims.update(email=email))
    engine = school.service.engine
    invited = people.accept(engine, people.invite(engine, "head@uni.example"))
    assert invited is not None
    own = [one for one in people.everybody(engine) if one.name.startswith("lti-")]
    assert [one.lms.email for one in own if one.lms] == [email[:254]]
    assert roles(school)["grace"] == "instructor"
    # A hand-in has the account's name.
    token = token_of(school, browser.launches("u1", lambda claims: claims.update(email=email)))
    found = people.bearer(engine, token)
    assert found is not None
    assert (found.name, found.account == invited[0].account) == (own[0].name, False)


@pytest.mark.slow
def test_no_invitation_leads_into_an_account_of_the_lms(school: School, browser: Browser) -> None:
    browser.launches("u1")
    (name,) = set(roles(school)) - {"ada", "bob", "grace"}
    with pytest.raises(AccountError, match="not lti- at the beginning"):
        people.invite(school.service.engine, name)


@pytest.mark.slow
def test_one_lms_speaks_of_its_own_people_only(
    platform: Lms, opened: Callable[..., School], tmp_path: Any
) -> None:
    with lms(client_id="tool-2", back=platform.back, key=drawn()) as other:
        school = registered(opened, tmp_path, platform, other)
        Browser(school, platform).launches("u1")
        before = roles(school)
        # The other one says that it is the first.
        evil = Browser(school, other)
        answer = evil.launches("u1", lambda claims: claims.update(iss=platform.url, aud="tool-1"))
        assert answer.status_code == 403
        # A login that was begun at the first ends with a token of the other.
        form = Browser(school, platform).logs_in("u1")
        assert evil.sends(form).status_code == 403
        assert roles(school) == before
        # The same subject is somebody else there.
        assert evil.launches("u1").status_code == 200
        assert len(roles(school)) == len(before) + 1


@pytest.mark.slow
def test_the_lms_redirects_nobody(browser: Browser) -> None:
    """Keys are fetched from the registered URL, and a target in a page is not followed."""
    form = browser.begins("u1", target_link_uri="https://evil.example/")
    assert form.headers["location"].startswith(browser.lms.url)
    page = browser.launches(
        "u1", lambda claims: claims.update({f"{CLAIM}target_link_uri": "https://evil.example/"})
    )
    assert page.status_code == 200
    assert "evil.example" not in page.text


@pytest.mark.slow
def test_guessing_is_ended(school: School, browser: Browser) -> None:
    school.service.site.rates = RateLimits(replace(OFTEN, unknown="3/hour"))
    codes = [browser.sends({"state": "x" * 43, "id_token": "x"}).status_code for _ in range(5)]
    assert codes == [403, 403, 403, 429, 429]


@pytest.mark.slow
def test_forms_of_other_pages_are_refused_as_before(browser: Browser) -> None:
    for path in ("/people", "/logout", "/api/login", "/lti/launch/", "/lti/jwks"):
        answer = browser.client.post(path, headers={"Origin": browser.lms.url})
        assert answer.status_code in (401, 403, 404, 405), path


# --- scores ---------------------------------------------------------------------------------------


def checked(school: School, browser: Browser, user: str = "u1", **job: Any) -> str:
    """A learner logs in and sends a task; returns the job."""
    if user not in school.tokens:
        school.tokens[user] = token_of(school, browser.launches(user))
    return school.stored(user, **job)


def judged_as(school: School, verdicts: dict[str, Verdict]) -> None:
    """Judge what waits. verdicts: by check; others pass."""

    def judge(held: Any, process: Any, say: Any) -> list[Any]:
        return [changed(one) for one in quick.judge(held, process, say)]

    def changed(record: Any) -> Any:
        checks = tuple(
            CheckRecord(r.check, verdicts[r.check], "Said.") if r.check in verdicts else r
            for r in record.checks
        )
        return replace(record, checks=checks, verdict=summarize(checks)[0])

    worker = school.worker(judge=judge)
    while worker.one(JudgeProcess()):
        pass


def items(school: School) -> list[Any]:
    with reading(school.service.engine) as connection:
        return list(connection.execute(select(lti_items)).all())


@pytest.mark.slow
def test_a_score_is_passed_back(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    assert passed_on(school) == 0  # Nothing was judged so far.
    school.judged()
    assert passed_on(school) == 1
    (told,) = browser.lms.scores[MODULE]
    module = load_module(MODULE)
    possible = sum(task.points for task in module.tasks if task.kind == "code")
    assert told["userId"] == "u1"
    assert (told["scoreGiven"], told["scoreMaximum"]) == (module.task("fold").points, possible)
    assert told["gradingProgress"] == "FullyGraded"
    assert datetime.fromisoformat(told["timestamp"]).tzinfo is not None
    # Only once, and again when something else was judged.
    assert passed_on(school) == 0
    checked(school, browser, task="verify")
    school.judged()
    assert passed_on(school) == 1
    both = module.task("fold").points + module.task("verify").points
    assert browser.lms.scores[MODULE][-1]["scoreGiven"] == both


@pytest.mark.slow
def test_what_is_wrong_is_zero(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    checks = [check.id for check in load_module(MODULE).task("fold").checks]
    judged_as(school, dict.fromkeys(checks, Verdict.WRONG_ANSWER))
    assert passed_on(school) == 1
    (told,) = browser.lms.scores[MODULE]
    assert (told["scoreGiven"], told["gradingProgress"]) == (0.0, "FullyGraded")


@pytest.mark.slow
@pytest.mark.parametrize("verdict", [v for v in Verdict if v.pending])
def test_what_is_open_is_no_zero(school: School, browser: Browser, verdict: Verdict) -> None:
    checked(school, browser, task="fold")
    check = load_module(MODULE).task("fold").checks[-1]
    judged_as(school, {check.id: verdict})
    assert passed_on(school) == 1
    (told,) = browser.lms.scores[MODULE]
    assert told["gradingProgress"] == "Pending"
    task = load_module(MODULE).task("fold")
    assert told["scoreGiven"] == task.points - check.points
    assert f"{check.points} more are still open" in told["comment"]
    # Once it is judged, all of the score is there.
    checked(school, browser, task="fold")
    school.judged()
    assert passed_on(school) == 1
    assert browser.lms.scores[MODULE][-1]["scoreGiven"] == task.points


@pytest.mark.slow
def test_of_what_is_all_open_no_zero_is_sent(school: School, browser: Browser) -> None:
    """There is nothing in the LMS that this could clear."""
    checked(school, browser, task="fold")
    checks = [check.id for check in load_module(MODULE).task("fold").checks]
    judged_as(school, dict.fromkeys(checks, Verdict.JUDGE_ERROR))
    assert passed_on(school) == 1
    (told,) = browser.lms.scores[MODULE]
    assert (told["gradingProgress"], "scoreGiven" in told) == ("Pending", False)
    assert items(school)[0].share is None


@pytest.mark.slow
@pytest.mark.parametrize("first", [Verdict.PASSED, Verdict.WRONG_ANSWER])
def test_a_score_that_was_sent_stays_when_something_becomes_pending(
    school: School, browser: Browser, first: Verdict
) -> None:
    """AGS 2.0: an LMS clears its score when one comes without points."""
    checked(school, browser, task="fold")
    checks = [check.id for check in load_module(MODULE).task("fold").checks]
    judged_as(school, dict.fromkeys(checks, first))
    assert passed_on(school) == 1
    for task in ("verify", "fold"):
        checked(school, browser, task=task)
        pending = [check.id for check in load_module(MODULE).task(task).checks]
        judged_as(school, dict.fromkeys(pending, Verdict.JUDGE_ERROR))
        assert passed_on(school) == 1
    whole, *later = browser.lms.scores[MODULE]
    assert [told["scoreGiven"] for told in later] == [whole["scoreGiven"]] * 2
    assert later[0]["gradingProgress"] == "Pending"


@pytest.mark.slow
def test_a_fault_of_ours_lowers_no_score(school: School, browser: Browser) -> None:
    """Whatever made the records count no more, such as a variant that the course has changed."""
    checked(school, browser, task="fold")
    school.judged()
    assert passed_on(school) == 1
    with writing(school.service.engine) as connection:
        connection.execute(update(job_rows).values(variant="0" * 64))
    checked(school, browser, task="fold")
    checks = [check.id for check in load_module(MODULE).task("fold").checks]
    judged_as(school, dict.fromkeys(checks, Verdict.NOT_MEASURED))
    assert passed_on(school) == 1
    before, now = browser.lms.scores[MODULE]
    assert now["scoreGiven"] == before["scoreGiven"]
    assert now["gradingProgress"] == "Pending"


@pytest.mark.slow
def test_a_gpu_that_is_waited_for_is_no_zero(school: School, browser: Browser) -> None:
    """From the CPU phase to the GPU phase, with the fast judge: triton_forward needs a GPU."""
    school.has_gpu()
    page = browser.launches("u1", to_module("fused_softmax"))
    school.tokens["u1"] = token_of(school, page)
    school.stored("u1", module="fused_softmax", task="triton_forward")
    school.judged("cpu")
    assert passed_on(school) == 0  # The job has not ended.
    school.judged("gpu")
    assert passed_on(school) == 1
    (told,) = browser.lms.scores["fused_softmax"]
    points = load_module("fused_softmax").task("triton_forward").points
    assert (told["scoreGiven"], told["gradingProgress"]) == (points, "FullyGraded")


@pytest.mark.slow
def test_the_best_counts(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    school.judged()
    checked(school, browser, task="fold", files={})
    checks = [check.id for check in load_module(MODULE).task("fold").checks]
    judged_as(school, dict.fromkeys(checks, Verdict.WRONG_ANSWER))
    assert passed_on(school) == 1
    assert browser.lms.scores[MODULE][-1]["scoreGiven"] == load_module(MODULE).task("fold").points


@pytest.mark.slow
def test_what_was_canceled_does_not_count(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    school.ask("u1", "POST", f"/api/jobs/{school.stored('u1', task='fold')}/cancel")
    job = school.stored("u1", task="verify")
    school.ask("u1", "POST", f"/api/jobs/{job}/cancel")
    assert passed_on(school) == 0
    assert browser.lms.scores == {}


@pytest.mark.slow
def test_somebody_elses_score_is_their_own(school: School, browser: Browser) -> None:
    checked(school, browser, "u1", task="fold")
    job = checked(school, browser, "u2", task="fold")
    school.ask("u2", "POST", f"/api/jobs/{job}/cancel")
    school.judged()
    assert passed_on(school) == 1
    assert [told["userId"] for told in browser.lms.scores[MODULE]] == ["u1"]
    # Another module's item gets nothing, nor does somebody who came in without the LMS.
    browser.launches("u1", to_module("fused_softmax"))
    school.stored("ada", module="fused_softmax", task="triton_forward")
    school.judged()
    assert passed_on(school) == 0
    # An instructor's own tries are nobody's score.
    browser.launches("u3", as_role("Instructor"))
    assert {row.subject for row in items(school)} == {"u1", "u2"}


@pytest.mark.slow
def test_what_is_not_taken_is_sent_again(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    school.judged()
    browser.lms.down = 1
    assert passed_on(school) == 0
    assert "503" in items(school)[0].problem
    assert passed_on(school) == 0  # Not at once.
    browser.launches("u9", as_role("Instructor"))
    assert "the gradebook is being moved" in browser.client.get("/faults").text
    after_a_pause(school)
    assert passed_on(school) == 1
    assert items(school)[0].problem == ""
    assert "has not taken" not in browser.client.get("/faults").text


@pytest.mark.slow
@pytest.mark.parametrize("status", [400, 403, 404, 410, 422])
def test_what_is_refused_for_good_is_sent_less_often_and_then_no_more(
    school: School, browser: Browser, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    checked(school, browser, task="fold")
    school.judged()
    browser.lms.refuses = status
    for _ in range(30):
        passed_on(school)
        after_a_pause(school)
    assert browser.lms.asked == len(sending.PAUSES) + 1
    assert [record.levelname for record in caplog.records].count("ERROR") == 2
    browser.launches("u9", as_role("Instructor"))
    assert "Not sent any more" in browser.client.get("/faults").text
    # What the learner does next is one more try, and a later one is taken.
    checked(school, browser, task="verify")
    school.judged()
    for _ in range(5):
        passed_on(school)
        after_a_pause(school)
    assert browser.lms.asked == len(sending.PAUSES) + 2
    browser.lms.refuses = 0
    browser.launches("u1")
    assert passed_on(school) == 1
    assert items(school)[0].problem == ""


@pytest.mark.slow
@pytest.mark.parametrize("status", [401, 408, 409, 429, 500, 503])
def test_what_may_be_taken_later_is_sent_for_ever(
    school: School, browser: Browser, status: int
) -> None:
    checked(school, browser, task="fold")
    school.judged()
    browser.lms.refuses = status
    for _ in range(10):
        passed_on(school)
        after_a_pause(school)
    assert browser.lms.asked == 10
    browser.lms.refuses = 0
    assert passed_on(school) == 1


@pytest.mark.slow
def test_pauses_grow(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    school.judged()
    browser.lms.refuses = 503
    pauses = []
    for _ in range(7):
        passed_on(school)
        pauses.append(round((items(school)[0].again - datetime.now(UTC)) / timedelta(minutes=1)))
        after_a_pause(school)
    assert pauses == [1, 5, 30, 180, 720, 720, 720]


@pytest.mark.slow
def test_an_instructor_has_refused_scores_sent_again(school: School, browser: Browser) -> None:
    for user in ("u1", "u2"):
        checked(school, browser, user, task="fold")
    school.judged()
    browser.lms.refuses = 404
    for _ in range(8):
        passed_on(school)
        after_a_pause(school)
    browser.lms.refuses = 0
    assert passed_on(school) == 0
    browser.launches("u9", as_role("Instructor"))
    page = browser.client.get("/faults").text
    # The course is over: one row for all.
    assert page.count("Not sent any more") == 1
    assert "u1@uni.example, u2@uni.example" in page
    csrf = form_of(page)["csrf"]
    assert passed_on(school) == 0
    answer = browser.client.post("/faults/again", data={"csrf": csrf})
    assert answer.headers["location"] == "/faults"
    assert passed_on(school) == 2


@pytest.mark.slow
def test_a_score_that_was_taken_is_not_sent_for_another_launch(
    school: School, browser: Browser
) -> None:
    checked(school, browser, task="fold")
    school.judged()
    assert passed_on(school) == 1
    browser.launches("u1")
    assert passed_on(school) == 0
    assert len(items(school)) == 1


@pytest.mark.slow
def test_an_lms_may_ask_for_another_audience(opened: Callable[..., School], tmp_path: Any) -> None:
    """As Brightspace does."""
    with lms(back="http://127.0.0.1:8000/lti/launch", audience="https://api.example/token") as one:
        school = registered(opened, tmp_path, one)
        checked(school, Browser(school, one), task="fold")
        school.judged()
        assert passed_on(school) == 1


@pytest.mark.slow
def test_we_say_who_we_are(school: School, browser: Browser) -> None:
    """In all that is asked: keys, tokens, scores."""
    checked(school, browser, task="fold")
    school.judged()
    assert passed_on(school) == 1
    assert browser.lms.agents == {f"hotloop/{__version__}"}


# --- who it is ------------------------------------------------------------------------------------

PEOPLE: dict[str, tuple[dict[str, Any], str]] = {
    "a quote": ({"email": "o'neil@uni.example"}, "o&#39;neil@uni.example"),
    "a plus": ({"email": "ada+perf@uni.example"}, "ada+perf@uni.example"),
    "an umlaut": ({"email": "jürgen@uni.example"}, "jürgen@uni.example"),
    "long": ({"email": "a" * 60 + "@uni.example"}, "a" * 60 + "@uni.example"),
    "a name": ({"given_name": "Ada", "family_name": "O'Neil"}, "Ada O&#39;Neil"),
    "one name": ({"name": "Jürgen Müller"}, "Jürgen Müller"),
    "none": ({"email": None}, "u1 of 127.0.0.1"),
    "null": ({"email": None, "name": None, "given_name": None}, "u1 of 127.0.0.1"),
    "another type": ({"email": ["x"], "name": {"x": 1}}, "u1 of 127.0.0.1"),
    "markup": ({"name": "<b>Ada</b>"}, "&lt;b&gt;Ada&lt;/b&gt;"),
    "misleading": ({"name": "Ada\u202egpj\n\n."}, "Ada⟦U+202E⟧gpj ."),
}


@pytest.mark.slow
@pytest.mark.parametrize("who", PEOPLE)
def test_people_are_shown_as_people(school: School, browser: Browser, who: str) -> None:
    said, shown = PEOPLE[who]
    page = browser.launches("u1", lambda claims: claims.update(said))
    assert page.status_code == 200, page.text
    assert shown in page.text
    school.tokens["u1"] = token_of(school, page)
    school.stored("u1", task="fold")
    browser.launches("u9", as_role("Instructor"))
    for where in ("/people", "/queue"):
        assert shown in browser.client.get(where).text


@pytest.mark.slow
def test_a_key_that_the_lms_does_not_know_passes_nothing(school: School, browser: Browser) -> None:
    """Tests the fake LMS itself: it refuses scores from anybody else."""
    checked(school, browser, task="fold")
    school.judged()
    browser.lms.tool_keys = {"keys": [{**browser.lms.tool_keys["keys"][0], "kid": "other"}]}
    assert passed_on(school) == 0
    assert "401" in items(school)[0].problem
    assert browser.lms.scores == {}


@pytest.mark.slow
def test_our_word_goes_where_it_was_said_alone(school: School, browser: Browser) -> None:
    """A redirect is not followed with the service's credentials."""
    checked(school, browser, task="fold")
    school.judged()
    browser.lms.is_moved = True
    assert passed_on(school) == 0
    assert "/token answers with 307" in items(school)[0].problem


@pytest.mark.slow
def test_a_running_service_passes_scores_back(school: School, browser: Browser) -> None:
    checked(school, browser, task="fold")
    with listening(served(school.service)):
        school.judged()
        until(lambda: browser.lms.scores.get(MODULE), 20)


def after_a_pause(school: School) -> None:
    """Let the time pass until a score may be sent again."""
    past = datetime.now(UTC) - timedelta(seconds=1)
    with writing(school.service.engine) as connection:
        connection.execute(update(lti_items).values(again=past))


# --- how the tests say it -------------------------------------------------------------------------


def as_role(role: str) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.update({f"{CLAIM}roles": [f"{ROLE}{role}"]})


def to_module(module: str) -> Callable[[dict[str, Any]], None]:
    def change(claims: dict[str, Any]) -> None:
        claims[f"{CLAIM}target_link_uri"] = f"http://127.0.0.1:8000/lti/launch?module={module}"
        claims[GRADES]["lineitem"] = claims[GRADES]["lineitem"].replace(MODULE, module)

    return change


def refused(browser: Browser, form: dict[str, str]) -> str:
    """Return the message of a refused launch."""
    answer = browser.sends(form)
    assert answer.status_code == 403, answer.text
    assert "hotloop login" not in answer.text
    return answer.text


def forged(browser: Browser, sign: Callable[[dict[str, Any]], str]) -> str:
    """Return the message of a launch whose token has a forged signature and is otherwise right."""
    where = urlsplit(browser.begins("u1").headers["location"])
    asked = {name: values[0] for name, values in parse_qs(where.query).items()}
    token = sign(browser.lms.claims("u1", asked["nonce"]))
    return refused(browser, {"state": asked["state"], "id_token": token})
