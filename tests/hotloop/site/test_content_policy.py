"""A page's policy allows its own inline scripts, and no other."""

import base64
import hashlib

import pytest

from hotloop.site.content_policy import policy, with_policy

PAGE = '<!doctype html><html><head><meta charset="utf-8">{}</head><body></body></html>'


def test_inline_scripts_are_allowed_by_their_hash() -> None:
    code = "var a = 1;\n"
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy(PAGE.format(f"<script>{code}</script>"))


def test_scripts_of_files_and_data_need_no_hash() -> None:
    page = '<script src="a.js"></script><script type="application/json">{"a": 1}</script>'
    assert "sha256" not in policy(PAGE.format(page))


def test_nothing_else_is_allowed() -> None:
    rules = dict(rule.split(" ", 1) for rule in policy(PAGE.format("")).split("; "))
    assert rules["default-src"] == "'self'"
    assert rules["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert rules["object-src"] == rules["base-uri"] == "'none'"


def test_the_policy_comes_before_what_it_rules() -> None:
    page = with_policy(PAGE.format("<script>1</script>"))
    assert page.index("Content-Security-Policy") < page.index("<script>")


def test_a_page_without_its_place_is_told() -> None:
    with pytest.raises(ValueError, match="the page has no <meta"):
        with_policy("<html></html>")
