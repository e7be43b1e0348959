"""Single sign-on, against a provider of our own that does what OpenID Connect says."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from typer.testing import CliRunner

pytest.importorskip("jwt", reason="the group `sso` is not installed")

import jwt
from jwt.algorithms import RSAAlgorithm

from hotloop.cli import app
from hotloop.service.settings import own_folder
from hotloop.service.takehome import passwords, sso
from hotloop.service.takehome.sso import FILE, Sso, SsoSettings
from hotloop.service.web.accounts import AccountError

from .office import MEMBER, Browser, Office

SECRET = "s3cret:%/+"
EMAIL = "emil@example.org"


@dataclass
class Provider:
    """An identity provider with one person. more: claims that replace its own."""

    key: rsa.RSAPrivateKey = field(
        default_factory=lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048)
    )
    url: str = ""
    issuer: str = ""
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    algorithm: str = "RS256"
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def authorize(self, url: str) -> str:
        """Log the person in, as the provider's page does; return the address to go back to."""
        asked = {name: value for name, (value,) in parse_qs(urlsplit(url).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Answer at the token endpoint; None refuses."""
        pair = base64.b64decode(authorization.removeprefix("Basic ")).decode().split(":")
        asked = self.codes.pop(form["code"], None)
        challenge = base64.urlsafe_b64encode(
            hashlib.sha256(form["code_verifier"].encode()).digest()
        )
        if (
            asked is None
            or list(map(unquote, pair)) != ["hotloop", SECRET]
            or form["redirect_uri"] != asked["redirect_uri"]
            or challenge.rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return None
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": "hotloop",
            "sub": "person-1",
            "iat": now,
            "exp": now + 300,
            "nonce": asked["nonce"],
            "email": "Emil@Example.org",
            "email_verified": True,
            **self.more,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        key = self.key if self.algorithm == "RS256" else "x" * 32
        return {"id_token": jwt.encode(claims, key, self.algorithm, headers={"kid": "k"})}

    def jwks(self) -> dict[str, Any]:
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": "k", "alg": "RS256", "use": "sig"}]}


@pytest.fixture
def provider() -> Iterator[Provider]:
    own = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/jwks":
                return self.say(own.jwks())
            assert self.path == "/.well-known/openid-configuration"
            return self.say(
                {
                    "issuer": own.issuer or own.url,
                    "authorization_endpoint": f"{own.url}/authorize",
                    "token_endpoint": f"{own.url}/token",
                    "jwks_uri": f"{own.url}/jwks",
                }
            )

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: value for name, (value,) in parse_qs(body).items()}
            self.say(own.token(form, self.headers["authorization"]))

        def say(self, document: object) -> None:
            data = json.dumps(document).encode()
            self.send_response(400 if document is None else 200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield own
    server.shutdown()
    server.server_close()


@pytest.fixture
def company(office: Office, provider: Provider) -> Office:
    """An office at the provider, with an account for Emil."""
    settings = SsoSettings(
        issuer=provider.url, client_id="hotloop", client_secret=SECRET, name="Example SSO"
    )
    office.portal.sso = Sso(settings)
    passwords.add_without(office.portal.engine, "emil", ["review"])
    sso.bind(office.portal.engine, "emil", EMAIL)
    return office


def log_in(browser: Browser, provider: Provider) -> Any:
    """Go to the provider and back, as a browser does."""
    sent = browser.get("/login/sso")
    assert sent.status_code == 303, sent.text
    url = provider.authorize(sent.headers["location"])
    parts = urlsplit(url)
    return browser.get(f"{parts.path}?{parts.query}")


def test_a_member_logs_in_at_the_company(company: Office, provider: Provider) -> None:
    browser = Browser(company.portal)
    assert "Log in with Example SSO" in browser.get("/login").text
    answer = log_in(browser, provider)
    assert (answer.status_code, answer.headers["location"]) == (303, "/candidates")
    assert browser.get("/candidates").status_code == 200
    # With the account's own rights.
    assert browser.get("/compare").status_code == 200
    assert browser.get("/candidates/new").status_code == 403
    assert "emil: logged in by single sign-on" in company.audit()


def test_an_address_that_is_reassigned_opens_nothing(company: Office, provider: Provider) -> None:
    assert log_in(Browser(company.portal), provider).status_code == 303
    provider.more = {"sub": "person-2"}
    assert log_in(Browser(company.portal), provider).status_code == 401
    provider.more = {"email": "another@example.org", "email_verified": False}
    assert log_in(Browser(company.portal), provider).status_code == 303


def too_old(provider: Provider) -> None:
    provider.more = {"exp": int(time.time()) - 120}


def another_key(provider: Provider) -> None:
    shown = provider.jwks()
    provider.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    provider.jwks = lambda: shown  # type: ignore[method-assign]


def shared_secret(provider: Provider) -> None:
    provider.algorithm = "HS256"


def with_claims(**claims: Any) -> Callable[[Provider], None]:
    def change(provider: Provider) -> None:
        provider.more = claims

    return change


@pytest.mark.parametrize(
    "change",
    [
        too_old,
        another_key,
        shared_secret,
        with_claims(iss="https://evil.example"),
        with_claims(aud="another"),
        with_claims(azp="another"),
        with_claims(nonce="another"),
        with_claims(nonce=None),
        with_claims(exp=None),
        with_claims(sub=None),
        with_claims(email="nobody@example.org"),
        with_claims(email_verified=False),
        with_claims(email_verified=None),
        with_claims(email=""),
    ],
)
def test_what_does_not_hold_logs_nobody_in(
    company: Office, provider: Provider, change: Callable[[Provider], None]
) -> None:
    change(provider)
    browser = Browser(company.portal)
    answer = log_in(browser, provider)
    assert answer.status_code == 401
    assert SECRET not in answer.text
    assert browser.get("/candidates").status_code == 303
    assert any(line.startswith("somebody: was not let in") for line in company.audit())


def test_a_login_belongs_to_the_browser_that_began_it(company: Office, provider: Provider) -> None:
    """Nobody can be logged in as somebody else by a link, and no code works twice."""
    emil, victim = Browser(company.portal), Browser(company.portal, "192.0.2.44")
    url = provider.authorize(emil.get("/login/sso").headers["location"])
    back = f"{urlsplit(url).path}?{urlsplit(url).query}"
    assert victim.get(back).status_code == 401
    victim.get("/login/sso")
    assert victim.get(back).status_code == 401
    assert emil.get(back).status_code == 303
    assert emil.get(back).status_code == 401


def test_a_provider_that_is_another_or_is_silent(company: Office, provider: Provider) -> None:
    provider.issuer = "https://evil.example"
    assert Browser(company.portal).get("/login/sso").status_code == 503
    settings = SsoSettings(issuer="http://127.0.0.1:9", client_id="h", client_secret="x")
    company.portal.sso = Sso(settings)
    assert Browser(company.portal).get("/login/sso").status_code == 503


def test_passwords_can_be_off(company: Office) -> None:
    assert company.portal.sso is not None
    settings = company.portal.sso.settings.model_copy(update={"passwords": False})
    company.portal.sso = Sso(settings)
    browser = Browser(company.portal)
    shown = browser.get("/login").text
    assert 'type="password"' not in shown
    answer = browser.post("/login", {"name": MEMBER, "password": "x", "token": "x"})
    assert answer.status_code == 403


def test_an_account_without_a_password_has_none(company: Office) -> None:
    assert passwords.check(company.portal.engine, "emil", "") is None
    assert passwords.check(company.portal.engine, "emil", "x" * 12) is None


def test_accounts_are_made_for_single_sign_on_by_command(
    company: Office, provider: Provider
) -> None:
    words = ["takehome", "account", "--team", str(company.team.folder)]

    def run(*more: str) -> int:
        return CliRunner().invoke(app, [*words, *more]).exit_code

    assert run("noa", "--sso", "sub:person-1", "--may", "invite") == 0
    browser = Browser(company.portal)
    assert log_in(browser, provider).status_code == 303
    assert browser.get("/candidates/new").status_code == 200
    assert run("ola", "--sso", EMAIL) == 2, "another account's address"
    assert run(MEMBER, "--sso", "anna@example.org") == 0
    with pytest.raises(AccountError):
        sso.bind(company.portal.engine, "nobody", "x@example.org")


def test_settings_are_read_from_the_portals_folder(office: Office) -> None:
    path = own_folder(office.team.folder) / FILE
    path.write_text("issuer: https://x.example\nclient_id: h\nclient_secret: s\n")
    path.chmod(0o644)
    with pytest.raises(PermissionError, match="others may read it"):
        Sso.of(path.parent)
    path.chmod(0o600)
    assert Sso.of(path.parent).settings.passwords
