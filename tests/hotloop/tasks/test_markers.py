import pytest

from hotloop.tasks.markers import MarkerError, exercise, parse, regions, solved


def _nothing(_directive: object) -> list[str]:
    return []


PYTHON = """\
def f(x):
    ### BEGIN SOLUTION m.t
    ### STUB if x:
    ### STUB     raise NotImplementedError("m.t")
    return x + 1
    ### END SOLUTION


print(f(1))
"""

PYTHON_EXERCISE = """\
def f(x):
    ### TASK m.t
    if x:
        raise NotImplementedError("m.t")


print(f(1))
"""

CUDA = """\
__global__ void f() {
  // ### BEGIN SOLUTION m.t kernel
  // ### STUB // write here
  int i = 0;
  // ### END SOLUTION
}
"""

MARKDOWN_IN_PERCENT = """\
# %% [markdown]
# ### BEGIN SOLUTION m.t
# ### STUB *Your answer.*
# Because.
# ### END SOLUTION
"""

YAML = """\
limits:
  ### BEGIN SOLUTION m.t
  queue: 4
  ### END SOLUTION
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            PYTHON,
            PYTHON_EXERCISE,
        ),
        (CUDA, "__global__ void f() {\n  // ### TASK m.t kernel\n  // write here\n}\n"),
        (MARKDOWN_IN_PERCENT, "# %% [markdown]\n# ### TASK m.t\n# *Your answer.*\n"),
        (YAML, "limits:\n  ### TASK m.t\n"),
    ],
)
def test_the_exercise_has_the_stub(text: str, wanted: str) -> None:
    assert exercise(parse(text, "f"), _nothing) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (PYTHON, "def f(x):\n    ### TASK m.t\n    return x + 1\n\n\nprint(f(1))\n"),
        (CUDA, "__global__ void f() {\n  // ### TASK m.t kernel\n  int i = 0;\n}\n"),
        (MARKDOWN_IN_PERCENT, "# %% [markdown]\n# ### TASK m.t\n# Because.\n"),
        (YAML, "limits:\n  ### TASK m.t\n  queue: 4\n"),
    ],
)
def test_the_solution_keeps_the_body(text: str, wanted: str) -> None:
    assert solved(parse(text, "f"), _nothing) == wanted


def test_another_body_takes_the_regions_indentation() -> None:
    body = ("if x:", "    return 2", "", "return 3")
    text = solved(parse(PYTHON, "f"), _nothing, {"m.t": body})
    assert text.startswith(
        "def f(x):\n    ### TASK m.t\n    if x:\n        return 2\n\n    return 3\n"
    )


def test_other_headings_are_left_alone() -> None:
    text = "# ### Results\n### a comment\n    ### TODO\n#### BEGIN SOLUTION\n"
    assert exercise(parse(text, "f"), _nothing) == text


def test_directives_are_expanded_behind_their_leader() -> None:
    pieces = parse("# ### HINTS m.t\n", "f")
    assert exercise(pieces, lambda d: [d.word, "", d.task]) == "# HINTS\n#\n# m.t\n"


def test_keys_and_lines_of_regions() -> None:
    (region,) = regions(parse(CUDA, "f"))
    assert (region.key, region.task, region.line) == ("m.t kernel", "m.t", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n### BEGIN SOLUTION m.t\nb\n", "f:2: the region m.t has no END SOLUTION"),
        ("a\n\n### END SOLUTION\n", "f:3: END SOLUTION outside of a region"),
        ("### STUB x\n", "f:1: STUB outside of a region"),
        (
            "### BEGIN SOLUTION m.t\n### BEGIN SOLUTION m.u\n### END SOLUTION\n",
            "f:2: BEGIN SOLUTION inside of the region m.t",
        ),
        ("### BEGIN SOLUTION\n### END SOLUTION\n", "f:1: '' is not `module.task`"),
        ("### BEGIN SOLUTION task\n### END SOLUTION\n", "f:1: 'task' is not `module.task`"),
        ("### BEGIN SOLUTON m.t\n", "f:1: '### BEGIN SOLUTON m.t' is not a marker"),
        ("### TASK m.t\n", "f:1: '### TASK m.t' is not a marker"),
        (
            "### BEGIN SOLUTION m.t\n### END SOLUTION\n### BEGIN SOLUTION m.t\n### END SOLUTION\n",
            "f:3: the region m.t is also on line 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(MarkerError) as raised:
        parse(text, "f")
    assert str(raised.value).startswith(message)
