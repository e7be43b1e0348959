"""What a page asks of the simulator, and gets: plain data, whatever is asked."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.engines.simulate import page
from hotloop.engines.simulate.problem import ToolMissing

COPY = (
    "__global__ void copy(const float* x, float* y, int n) { y[threadIdx.x] = x[threadIdx.x]; }\n"
)


def parameter(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "float", "count": 32, "values": "arange"} | more


def ask(folder: Path, **request: Any) -> dict[str, Any]:
    return json.loads(page.answer(json.dumps(request), str(folder / "work")))


def launch(folder: Path, source: str = COPY, **changes: Any) -> dict[str, Any]:
    request = {
        "source": source,
        "kernel": "copy",
        "grid": [1, 1, 1],
        "block": [32, 1, 1],
        "parameters": [
            parameter("x"),
            parameter("y", values="zeros", output=True),
            {"name": "n", "value": 32},
        ],
    }
    return ask(folder, **(request | changes))


def test_a_launch_gives_arrays_traffic_and_the_first_warps_requests(tmp_path: Path) -> None:
    answer = launch(tmp_path)
    assert answer["clean"]
    _, y = answer["arrays"]
    assert y["values"] == list(range(32))
    assert {site["moved"] for site in answer["report"]["sites"]} == {128}
    load, store = answer["steps"]
    assert (load["memory"], load["did"], store["did"]) == ("array `x`", "read", "write")
    assert load["offsets"] == [4 * lane for lane in range(32)]
    assert load["line"] == {"file": page.FILE, "line": 1}


def test_a_finding_has_the_files_name_and_no_path(tmp_path: Path) -> None:
    answer = launch(tmp_path, block=[33, 1, 1])
    assert not answer["clean"]
    [finding, *_] = answer["report"]["findings"]
    assert finding["witnesses"][0]["line"] == {"file": page.FILE, "line": 1}
    assert str(tmp_path) not in json.dumps(answer)


@pytest.mark.parametrize(
    ("kind", "values", "shown"),
    [
        ("int", [1, -2], [1, -2]),
        ("unsigned char", [255, 0], [255, 0]),
        ("__half", [0.5, 65504], [0.5, 65504]),
        ("__nv_bfloat16", [1.0, 3.140625], [1.0, 3.140625]),
        ("double", [1e300, -0.0], [1e300, 0.0]),
        ("long long", [1 << 40, 0], [1 << 40, 0]),
    ],
)
def test_types_of_arrays(tmp_path: Path, kind: str, values: list[float], shown: object) -> None:
    source = (
        "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
        f"__global__ void copy(const {kind}* x, {kind}* y) {{ y[threadIdx.x] = x[threadIdx.x]; }}\n"
    )
    parameters = [
        parameter("x", type=kind, values=values),
        parameter("y", type=kind, values="zeros", count=2, output=True),
    ]
    answer = launch(tmp_path, source, block=[2, 1, 1], parameters=parameters)
    assert answer["arrays"][1]["values"] == shown


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parameters": [parameter("x", count=0)]}, "1 to 4,194,304 elements, and not 0"),
        ({"parameters": [parameter("x", type="float4")]}, "no arrays of `float4`"),
        ({"parameters": [parameter("x", type="char", values=[300])]}, "array `x`: "),
        ({"kernel": "none"}, "there is no kernel `none`"),
        ({"source": "__global__ void copy( {"}, f"{page.FILE}:1:"),
    ],
)
def test_what_cannot_be_run_is_said(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    answer = launch(tmp_path, **changes)
    assert sentence in answer["problem"]
    assert str(tmp_path) not in answer["problem"]


def test_a_nan_is_passed_on_as_a_word(tmp_path: Path) -> None:
    source = "__global__ void copy(float* y) { y[0] = 0.0f / y[1]; y[1] = 1 / y[2]; }\n"
    parameters = [parameter("y", values="zeros", count=3, output=False)]
    answer = launch(tmp_path, source, block=[1, 1, 1], parameters=parameters)
    assert answer["arrays"][0]["values"] == [0, 0, 0]  # an input, which stays as it was
    assert [finding["kind"] for finding in answer["report"]["findings"]] == ["input_written"]
    parameters[0]["output"] = True
    source = '__global__ void copy(float* y) { y[0] = nanf(""); y[1] = INFINITY; }\n'
    answer = launch(tmp_path, source, block=[1, 1, 1], parameters=parameters)
    assert answer["arrays"][0]["values"][:2] == ["nan", "inf"]


def test_steps_are_told_in_order(tmp_path: Path) -> None:
    steps: list[str] = []
    request = {"source": "int main() {}", "orders": ["forward", "reverse"]}
    page.answer(json.dumps(request), str(tmp_path / "work"), steps.append)
    assert [step.partition(",")[0] for step in steps] == ["compiling", "running", "running"]


def test_without_a_compiler_the_page_is_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ToolMissing("the compiler is not loaded")

    monkeypatch.setattr(page, "check", missing)
    assert ask(tmp_path, source="int main() {}") == {"needs_compiler": True}


def test_a_file_stays_in_its_folder(tmp_path: Path) -> None:
    ask(tmp_path, source="int main() {}", files={"../outside.h": "", "/tmp/x/../y.h": ""})
    assert not (tmp_path / "outside.h").exists()
    assert {path.name for path in (tmp_path / "work").iterdir()} >= {"outside.h", "y.h"}
