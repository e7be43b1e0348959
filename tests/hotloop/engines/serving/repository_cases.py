"""Small model repositories, and whether the real server loads each: the truth for the static check.

`LOADED` and `REFUSED` were read off the server of `hotloop doctor --install tritonserver`;
`test_against_server` and `tests/benchmarks/model_repositories.py` read them off it again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hotloop.engines.serving.inference import Client, InferenceFailed
from hotloop.engines.serving.server import TritonServer

LOADED, REFUSED, USELESS = "loaded", "refused", "useless"
"""USELESS: the server loads it, and does not do what the configuration asks for."""

_STATE = 'data_type: TYPE_FP32 dims: [ 2 ] zero_data: true name: "s" '
_X = 'input [ { name: "X" data_type: TYPE_FP32 dims: [ 4 ] } ]\n'
_Y = 'output [ { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] } ]\n'
PYTHON = """import triton_python_backend_utils as pb
class TritonPythonModel:
    def execute(self, requests):
        given = [pb.get_input_tensor_by_name(request, "X").as_numpy() for request in requests]
        return [pb.InferenceResponse([pb.Tensor("Y", array)]) for array in given]
"""
COMPLETING = """
    @staticmethod
    def auto_complete_config(config):
        config.set_max_batch_size(8)
        config.set_dynamic_batching()
        config.add_input({"name": "X", "data_type": "TYPE_FP32", "dims": [4]})
        config.add_output({"name": "Y", "data_type": "TYPE_FP32", "dims": [4]})
        return config
"""


@dataclass(frozen=True)
class Link:
    """A symbolic link. to: relative to the folder that the link is in."""

    to: str


@dataclass(frozen=True)
class Case:
    """A repository. verdict: LOADED, REFUSED or USELESS. files: path -> content; None: a folder.

    says: part of what the check says.
    """

    name: str
    verdict: str
    files: Mapping[str, str | bytes | Link | None]
    says: str = ""

    def write(self, folder: Path) -> None:
        """Write the repository into an empty folder."""
        for path, content in self.files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                file.mkdir(parents=True, exist_ok=True)
            elif isinstance(content, Link):
                file.symlink_to(content.to)
            else:
                file.write_bytes(content if isinstance(content, bytes) else content.encode())


def together(cases: Iterable[Case], folder: Path) -> list[Case]:
    """Write those cases that are one model called m into one repository; return them.

    Each model gets its case's name.
    """
    alone = [case for case in cases if all(path.startswith("m/") for path in case.files)]
    for case in alone:
        case.write(folder)
        (folder / "m").rename(folder / case.name)
    return alone


def verdicts(
    cases: Iterable[Case], start: Callable[[], TritonServer], end_s: float = 10.0
) -> Iterator[tuple[Case, str]]:
    """Let a server load each case; yield LOADED or REFUSED.

    start: returns a server that loads by request, and is ready. A warm-up that fails in the backend
    crashes tritonserver 2.51.0, with all its models: it is REFUSED, and another server is started.
    """
    server = start()
    for case in cases:
        verdict = REFUSED
        try:
            with Client(server, timeout_s=60.0) as client:
                client.load(case.name)
                verdict = LOADED
                client.unload(case.name)
        except InferenceFailed:
            pass
        except (ValueError, OSError):
            deadline = time.monotonic() + end_s
            while server.alive and time.monotonic() < deadline:
                time.sleep(0.05)
            if server.alive:
                raise
            server = start()
        yield case, verdict


def python(
    name: str,
    verdict: str,
    extra: str = "",
    *,
    says: str = "",
    inputs: str = _X,
    outputs: str = _Y,
    batch: int = 8,
    body: str = PYTHON,
    head: str = 'backend: "python"\n',
    beside: Mapping[str, str | bytes] | None = None,
) -> Case:
    """Return a repository of one Python model. beside: more files of the model's folder."""
    config = f"{head}max_batch_size: {batch}\n{inputs}{outputs}{extra}\n"
    more = {f"m/{path}": data for path, data in (beside or {}).items()}
    return Case(name, verdict, {"m/config.pbtxt": config, "m/1/model.py": body, **more}, says)


def warmup(fields: str = "", *, batch: int = 1, key: str = "X") -> str:
    """Return a model_warmup of one input."""
    fields = fields or "data_type: TYPE_FP32 dims: [ 4 ] zero_data: true"
    return (
        f'model_warmup [ {{ name: "w" batch_size: {batch} '
        f'inputs {{ key: "{key}" value {{ {fields} }} }} }} ]'
    )


def _of_warmup() -> list[Case]:
    two = _X.replace(" ]\n", ', { name: "Z" data_type: TYPE_FP32 dims: [ 4 ] } ]\n')
    optional = two.replace("dims: [ 4 ] } ]\n", "dims: [ 4 ] optional: true } ]\n")
    some = _X.replace("[ 4 ]", "[ -1, 4 ]")
    row = np.zeros(4, np.float32).tobytes()
    fp32 = "data_type: TYPE_FP32 dims: [ 4 ] "
    return [
        python("warmup", LOADED, warmup()),
        python("warmup_random", LOADED, warmup(fp32 + "random_data: true")),
        python("warmup_full_batch", LOADED, warmup(batch=8)),
        python("warmup_false", LOADED, warmup(fp32 + "zero_data: false")),
        python("warmup_two_inputs_one_optional", LOADED, warmup(), inputs=optional),
        python("warmup_of_any_size", LOADED, inputs=some,
               extra=warmup("data_type: TYPE_FP32 dims: [ 3, 4 ] zero_data: true")),
        python("warmup_reshape", LOADED, warmup(),
               inputs=_X.replace("[ 4 ]", "[ 4 ] reshape { shape: [ 2, 2 ] }"),
               outputs=_Y.replace("[ 4 ]", "[ 2, 2 ]")),
        python("warmup_file", LOADED, warmup(fp32 + 'input_data_file: "x.bin"'),
               beside={"warmup/x.bin": row}),
        python("warmup_larger_file", LOADED, warmup(fp32 + 'input_data_file: "x.bin"'),
               beside={"warmup/x.bin": row * 2}),
        python("warmup_no_batching", LOADED, warmup(), batch=0),
        python("warmup_key", REFUSED, warmup(key="input"), says="'input' is no input"),
        python("warmup_no_data", REFUSED, warmup(fp32), says="zero_data"),
        python("warmup_type", REFUSED, warmup("data_type: TYPE_INT32 dims: [ 4 ] zero_data: true"),
               says="TYPE_INT32"),
        python("warmup_no_type", REFUSED, warmup("dims: [ 4 ] zero_data: true"), says="TYPE_FP32"),
        python("warmup_dims", REFUSED, warmup("data_type: TYPE_FP32 dims: [ 5 ] zero_data: true"),
               says="[5]"),
        python("warmup_no_dims", REFUSED, warmup("data_type: TYPE_FP32 zero_data: true"),
               says="[]"),
        python("warmup_batch_in_dims", REFUSED,
               warmup("data_type: TYPE_FP32 dims: [ 1, 4 ] zero_data: true"), says="[1, 4]"),
        python("warmup_any_dims", REFUSED, inputs=some,
               extra=warmup("data_type: TYPE_FP32 dims: [ -1, 4 ] zero_data: true"), says="-1"),
        python("warmup_missing_input", REFUSED, warmup(), inputs=two, says="'Z'"),
        python("warmup_batch", REFUSED, warmup(batch=99), says="99"),
        python("warmup_batch_of_no_batching", REFUSED, warmup(batch=2), batch=0, says="2"),
        python("warmup_no_batch", USELESS, warmup(batch=0), says="skips"),
        python("warmup_missing_file", REFUSED, warmup(fp32 + 'input_data_file: "x.bin"'),
               says="m/warmup/x.bin"),
        python("warmup_short_file", REFUSED, warmup(fp32 + 'input_data_file: "x.bin"'),
               beside={"warmup/x.bin": row[:-1]}, says="15"),
    ]  # fmt: skip


def _of_fields() -> list[Case]:
    image = 'input [ {{ name: "X" data_type: TYPE_FP32 format: FORMAT_{} dims: [ {} ] }} ]\n'
    labels = _Y.replace("dims: [ 4 ]", 'dims: [ 4 ] label_filename: "labels.txt"')
    environment = 'parameters {{ key: "EXECUTION_ENV_PATH" value: {{ string_value: "{}" }} }}'
    cpu = 'parameters {{ key: "FORCE_CPU_ONLY_INPUT_TENSORS" value: {{ string_value: "{}" }} }}'
    state = (
        'sequence_batching {{ state [ {{ input_name: "I" output_name: "O" data_type: TYPE_FP32 '
        "dims: [ {} ] initial_state {{ {} }} }} ] }}"
    )
    return [
        python("format", LOADED, inputs=image.format("NCHW", "3, 4, 4")),
        python("format_none", LOADED, inputs=image.format("NONE", "4")),
        python("format_dims", REFUSED, inputs=image.format("NCHW", "4"), says="FORMAT_NCHW"),
        python("format_nhwc", REFUSED, inputs=image.format("NHWC", "1, 3, 4, 4"),
               says="FORMAT_NHWC"),
        python("shape_tensor", REFUSED, inputs=_X.replace("dims", "is_shape_tensor: true dims"),
               says="TensorRT"),
        python("shape_tensor_of_output", REFUSED,
               outputs=_Y.replace("dims", "is_shape_tensor: true dims"), says="TensorRT"),
        python("labels", LOADED, outputs=labels, beside={"labels.txt": "a\nb\n"}),
        python("labels_missing", REFUSED, outputs=labels, says="m/labels.txt"),
        python("labels_in_version", REFUSED, outputs=labels, beside={"1/labels.txt": "a\n"},
               says="m/labels.txt"),
        python("agent", REFUSED, 'model_repository_agents { agents [ { name: "checksum" } ] }',
               says="'checksum'"),
        python("profile", REFUSED, 'instance_group [ { kind: KIND_CPU profile: [ "1" ] } ]',
               says="TensorRT"),
        python("gpu", REFUSED, "instance_group [ { kind: KIND_GPU } ]", says="no GPU"),
        python("gpu_0", REFUSED, "instance_group [ { kind: KIND_GPU gpus: [ 0 ] } ]",
               says="no GPU"),
        python("gpu_automatic", REFUSED, "instance_group [ { count: 1 gpus: [ 0 ] } ]",
               says="no GPU"),
        python("automatic", LOADED, "instance_group [ { count: 2 } ]"),
        python("kind_model", LOADED, "instance_group [ { kind: KIND_MODEL } ]"),
        python("runtime", LOADED, 'runtime: "libtriton_python.so"'),
        python("runtime_unknown", REFUSED, 'runtime: "libtriton_other.so"', says="runtime"),
        python("platform_of_other", LOADED,
               head='backend: "python"\nplatform: "onnxruntime_onnx"\n'),
        python("environment_missing", REFUSED, environment.format("/nowhere/env.tar.gz"),
               says="/nowhere/env.tar.gz"),
        python("environment_missing_in_model", REFUSED,
               environment.format("$$TRITON_MODEL_DIRECTORY/env.tar.gz"), says="env.tar.gz"),
        python("force_cpu", LOADED, cpu.format("no")),
        python("force_cpu_unknown", REFUSED, cpu.format("maybe"), says="yes or no"),
        python("cache_without_cache", LOADED, "response_cache { enable: true }"),
        python("latest_0", REFUSED, "version_policy { latest { num_versions: 0 } }",
               says="version_policy"),
        python("latest_unsaid", REFUSED, "version_policy { latest { } }", says="version_policy"),
        python("missing_version", REFUSED, "version_policy { specific { versions: [ 1, 2 ] } }",
               says="no folder 2"),
        python("specific_none", REFUSED, "version_policy { specific { } }", says="version_policy"),
        python("optimization", LOADED, "optimization { priority: PRIORITY_MAX graph { level: 1 } "
               "execution_accelerators { cpu_execution_accelerator { name: 'openvino' } } }"),
        python("filenames", LOADED,
               'cc_model_filenames { key: "7.5" value: "no.py" }'),
        python("queue", LOADED, "dynamic_batching { default_queue_policy { max_queue_size: 4 "
               "timeout_action: REJECT default_timeout_microseconds: 100 } }"),
        python("rate_limiter", LOADED, 'instance_group [ { kind: KIND_CPU rate_limiter { '
               'resources [ { name: "R" count: 4 } ] priority: 2 } } ]'),
        python("state", LOADED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 2 ] zero_data: true name: "s"')),
        python("state_name", REFUSED, state.format(
            "2", "data_type: TYPE_FP32 dims: [ 2 ] zero_data: true"), says="name"),
        python("state_type", REFUSED, state.format(
            "2", 'data_type: TYPE_FP16 dims: [ 2 ] zero_data: true name: "s"'), says="TYPE_FP16"),
        python("state_dims", REFUSED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 3 ] zero_data: true name: "s"'), says="[3]"),
        python("state_rank", REFUSED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 2, 1 ] zero_data: true name: "s"'), says="[2, 1]"),
        python("state_any", REFUSED, state.format(
            "-1", 'data_type: TYPE_FP32 dims: [ -1 ] zero_data: true name: "s"'), says="-1"),
        python("state_no_data", REFUSED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 2 ] name: "s"'), says="zero_data"),
        python("state_file_missing", REFUSED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 2 ] data_file: "s.bin" name: "s"'),
               says="m/initial_state/s.bin"),
        python("state_file", LOADED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 2 ] data_file: "s.bin" name: "s"'),
               beside={"initial_state/s.bin": bytes(8)}),
        python("state_file_short", REFUSED, state.format(
            "2", 'data_type: TYPE_FP32 dims: [ 2 ] data_file: "s.bin" name: "s"'),
               beside={"initial_state/s.bin": bytes(7)}, says="7"),
        python("state_two", REFUSED, state.format("2", _STATE + "} initial_state {" + _STATE),
               says="initial_state"),
    ]  # fmt: skip


def _of_code() -> list[Case]:
    named = PYTHON.replace("class TritonPythonModel", "class Model")
    return [
        python("syntax", REFUSED, body="class TritonPythonModel\n    pass\n", says=":1"),
        python("syntax_late", REFUSED, body=PYTHON + "def f(:\n", says="model.py:6"),
        python("null_byte", REFUSED, body="\0" + PYTHON, says="null"),
        python("empty", REFUSED, body="", says="TritonPythonModel"),
        python("no_class", REFUSED, body="def execute(requests): return []\n",
               says="TritonPythonModel"),
        python("other_class", REFUSED, body=named, says="TritonPythonModel"),
        python("only_a_comment", REFUSED, body=f"# TritonPythonModel\n{named}",
               says="TritonPythonModel"),
        python("inside_a_function", REFUSED, says="TritonPythonModel",
               body="def f():\n" + "".join(f"    {line}\n" for line in PYTHON.splitlines())),
        python("no_execute", USELESS, says="execute",
               body="class TritonPythonModel:\n    def initialize(self, args): pass\n"),
        python("assigned", LOADED, body=f"{named}\nTritonPythonModel = Model\n"),
        python("inherited", LOADED, body=f"{named}\nclass TritonPythonModel(Model): pass\n"),
        python("imported", LOADED, body="import os, sys\n"
               "sys.path.insert(0, os.path.dirname(__file__))\n"
               "from beside_imported import Model as TritonPythonModel\n",
               beside={"1/beside_imported.py": named}),
        python("star_import", LOADED, body="import os, sys\n"
               "sys.path.insert(0, os.path.dirname(__file__))\nfrom beside_star import *\n",
               beside={"1/beside_star.py": PYTHON}),
        python("conditional", LOADED, body=f"{named}\nif True:\n    TritonPythonModel = Model\n"),
        python("through_globals", LOADED,
               body=f"{named}\nglobals()['TritonPythonModel'] = Model\n"),
        python("global_statement", LOADED, body=f"{named}\ndef f():\n    global TritonPythonModel\n"
               "    TritonPythonModel = Model\nf()\n"),
        python("execute_assigned", LOADED, body="class TritonPythonModel: pass\n"
               "TritonPythonModel.execute = lambda self, requests: []\n"),
        python("latin_1", LOADED, body="# -*- coding: latin-1 -*-\n" + PYTHON),
        python("module_beside", LOADED, beside={"1/helper.py": "def f(:\n"}),
    ]  # fmt: skip


def _of_files() -> list[Case]:
    config = f'backend: "python"\nmax_batch_size: 8\n{_X}{_Y}'
    whole = {"m/config.pbtxt": config, "m/1/model.py": PYTHON}
    return [
        Case("python_alone", USELESS, {"m/1/model.py": PYTHON}, "it is missing"),
        Case("python_completes", LOADED, {"m/1/model.py": PYTHON + COMPLETING}),
        Case("link_to_file", LOADED, {"m/config.pbtxt": config, "m/1/model.py": Link("../it.py"),
                                      "m/it.py": PYTHON}),
        Case("link_to_config", LOADED, {"m/config.pbtxt": Link("c.pbtxt"), "m/c.pbtxt": config,
                                        "m/1/model.py": PYTHON}),
        Case("link_to_version", LOADED, {"m/config.pbtxt": config, "m/real/model.py": PYTHON,
                                         "m/1": Link("real")}),
        Case("link_to_model", LOADED, {**whole, "n": Link("m")}),
        Case("link_to_nothing", REFUSED, {"m/config.pbtxt": config, "m/1/model.py": Link("no.py")},
             "is a link"),
        Case("link_in_circles", REFUSED, {"m/config.pbtxt": config,
                                          "m/1/model.py": Link("model.py")}, "is a link"),
        Case("unused_tensor", REFUSED, {**whole, **ensemble(-1, unused=True)}, "unused"),
        Case("newest_version", LOADED, {**whole, **ensemble(-1)}),
        Case("version_of_a_folder", LOADED, {**whole, **ensemble(1)}),
        Case("version_without_a_folder", REFUSED, {**whole, **ensemble(2)}, "version 2"),
        Case("version_unsaid", REFUSED, {**whole, **ensemble(None)}, "version 0"),
    ]  # fmt: skip


def ensemble(version: int | None, *, unused: bool = False) -> dict[str, str | None]:
    """Return the files of an ensemble `e` of `m`. unused: a second step makes what nobody reads."""
    which = "" if version is None else f"model_version: {version} "
    steps = [
        f'{{ model_name: "m" {which}input_map {{ key: "X" value: "X" }} '
        f'output_map {{ key: "Y" value: "{value}" }} }}'
        for value in ["Y", *["unused"] * unused]
    ]
    text = f'platform: "ensemble"\nmax_batch_size: 8\n{_X}{_Y}'
    return {
        "e/1": None,
        "e/config.pbtxt": f"{text}ensemble_scheduling {{ step [ {', '.join(steps)} ] }}",
    }


CASES = (*_of_warmup(), *_of_fields(), *_of_code(), *_of_files())
