"""Namespace, class or function: where a token stands."""

from __future__ import annotations

import pytest

from hotloop.cudasim.scopes import scopes
from hotloop.cudasim.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("int HERE;", "namespace"),
        ("namespace a { namespace b::c { HERE", "namespace"),
        ('extern "C" { HERE', "namespace"),
        ('extern "C" void f() { HERE', "function"),
        ("void f() { if (x) { } HERE", "function"),
        ("void f() { struct S { int a; }; HERE", "function"),
        ("void f() {} HERE", "namespace"),
        ("struct S { HERE", "class"),
        ("struct __attribute__((aligned(16))) S { HERE", "class"),
        ("struct alignas(16) S { HERE", "class"),
        ("struct S { void f() const { HERE", "function"),
        ("struct S { void f(); int a; HERE", "class"),
        ("template <class T, class U = A<T>> struct S : B<T> { HERE", "class"),
        ("template <class T> void f(T x) { HERE", "function"),
        ("int a[] = {1, 2}; HERE", "namespace"),
        ("int a[] = {1, HERE", "namespace"),
        ("auto f = [](int x) { HERE", "function"),
        ("enum class E { HERE", "class"),
        ("} } HERE", "namespace"),
    ],
)
def test_scope_of_a_word(text: str, scope: str) -> None:
    tokens = tokenize(text)
    at = next(i for i, t in enumerate(tokens) if t.text == "HERE")
    assert scopes(tokens)[at] == scope
