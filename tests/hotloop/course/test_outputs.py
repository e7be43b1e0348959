"""Which outputs of a cell are kept."""

import json
from typing import Any

import nbformat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotloop.course import nodes
from hotloop.course.channels import Reply
from hotloop.course.outputs import Outputs


def reply(kind: str, **content: Any) -> Reply:
    return Reply("iopub", kind, "parent", content)


def collected(*replies: Reply, **limits: int) -> list[Any]:
    outputs = Outputs(**limits)
    for each in replies:
        outputs.add(each)
    return outputs.nodes


def test_streams_are_joined_by_name() -> None:
    kept = collected(
        reply("stream", name="stdout", text="a"),
        reply("stream", name="stdout", text="b"),
        reply("stream", name="stderr", text="c"),
        reply("stream", name="<script>", text="d"),
    )
    assert [(o.name, o.text) for o in kept] == [("stdout", "ab"), ("stderr", "c"), ("stdout", "d")]


def test_text_is_cut_once() -> None:
    kept = collected(*[reply("stream", name="stdout", text="x" * 60)] * 50, max_text=100)
    (only,) = kept
    assert only.text.startswith("x" * 100 + "\n… the output was cut here")
    assert only.text.count("cut here") == 1
    assert len(only.text) < 300


def test_displays_are_capped_together() -> None:
    data = {"text/plain": "y" * 600}
    kept = collected(*[reply("display_data", data=data)] * 5, max_display=1000)
    assert [o.output_type for o in kept] == ["display_data", "stream"]


def test_a_result_keeps_no_claims_of_the_kernel() -> None:
    (only,) = collected(
        reply(
            "execute_result",
            data={"text/html": "<b onclick=x>5</b>", "text/plain": "5"},
            execution_count="<script>",
            metadata={"text/html": {"isolated": True}},
        )
    )
    assert only == {
        "output_type": "display_data",
        "data": {"text/html": "<b>5</b>", "text/plain": "5"},
        "metadata": {},
    }


def test_errors_are_kept_short() -> None:
    (only,) = collected(
        reply("error", ename="E" * 9999, evalue="V" * 9999, traceback=["t" * 99999]), max_text=500
    )
    assert len(json.dumps(only)) < 4000


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=[])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
_kinds = st.sampled_from(["stream", "display_data", "execute_result", "error", "status", "x"])
_keys = st.sampled_from(["name", "text", "data", "ename", "evalue", "traceback", "metadata"])
_data = st.dictionaries(st.sampled_from(["text/plain", "text/html", "image/png"]), _json)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(_kinds, st.dictionaries(_keys, _json | _data)), max_size=5))
def test_no_message_breaks_the_notebook(messages: list[tuple[str, dict[str, Any]]]) -> None:
    outputs = Outputs(max_text=200, max_display=200)
    for kind, content in messages:
        outputs.add(Reply("iopub", kind, "", content))
    notebook = nodes.notebook()
    cell = nodes.code("1")
    cell.id = "one"
    cell.outputs = outputs.nodes
    notebook.cells = [cell]
    nbformat.validate(notebook)
    nbformat.writes(notebook).encode()
