"""The static check: every wrong repository is reported with the position of the error."""

import re
import shutil
import time
from pathlib import Path

import pytest
from tests.hotloop.engines.serving.repository_cases import PYTHON

from hotloop.engines.serving import repository
from hotloop.engines.serving.positions import locate
from hotloop.engines.serving.problem import RepositoryProblem

pytest.importorskip("google.protobuf", reason="protobuf: pip install 'hotloop[serving]'")


def test_a_sound_repository_has_no_problems(topics: Path) -> None:
    assert repository.check(topics) == []


def change(folder: Path, file: str, old: str, new: str) -> tuple[int, int]:
    """Replace the first `old`; return the line and column where it was."""
    path = folder / file
    text = path.read_text()
    assert old in text
    before = text[: text.index(old)]
    path.write_text(text.replace(old, new, 1))
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


@pytest.mark.parametrize(
    ("file", "old", "new", "offset", "says"),
    [
        ("bert", "max_batch_size", "max_batchsize", 0, "did you mean max_batch_size"),
        ("bert", "max_batch_size: 16", 'max_batch_size: "16"', 16, "not of the right type"),
        ("bert", "TYPE_FP32", "TYPE_FLOAT", 0, "unknown DataType 'TYPE_FLOAT'"),
        ("bert", "KIND_CPU", "KIND_CPUS", 0, "did you mean KIND_CPU"),
        ("bert", "max_batch_size: 16", "max_batch_size: 16 max_batch_size: 8", 35, "twice"),
        ("bert", "dims: [ 6 ]", "dims: [ 6.5 ]", 8, "6.5 is not of the right type"),
        ("bert", 'name: "bert"', 'name: "bart"', 6, "the folder's is 'bert'"),
        ("bert", "dims: [ 32 ]", "dims: [ -1, 32 ]", 8, "in front of dims by itself"),
        ("bert", "dims: [ 32 ]", "dims: [ 64 ]", 8, "[-1, 32] in the model, and [-1, 64] here"),
        ("bert", "dims: [ 32 ]", "dims: [ 0 ]", 8, "at least 1, or -1"),
        ("bert", "dims: [ 6 ]", "dims: [ 7 ]", 8, "'logits' has the shape [-1, 6] in the model"),
        ("bert", "TYPE_INT64", "TYPE_INT32", 0, "'input_ids' is TYPE_INT64 in the model"),
        ("bert", '"input_ids"', '"ids"', 0, "has no input 'ids'; it has input_ids"),
        ("bert", '"onnxruntime"', '"onnx"', 0, "this server has no backend 'onnx'"),
        ("bert", "dynamic_batching { }", "dynamic_batching { preferred_batch_size: [ 8, 32 ] }",
         46, "32 is not between 1 and max_batch_size 16"),
        ("preprocess", 'name: "TEXT"', "name: ''", -2, "needs a name"),
        ("postprocess", '"TOPIC"', '"CONFIDENCE"', None, "twice"),
        ("topics", 'model_name: "bert"', 'model_name: "bret"', 12, "did you mean 'bert'?"),
        ("topics", 'value: "mask"', 'value: "masks"', None, "nothing makes tensor"),
        ("topics", 'key: "logits" value: "logits"', 'key: "logit" value: "logits"', 5,
         "model 'bert' has no output 'logit': did you mean 'logits'?"),
        ("topics", "TYPE_FP32", "TYPE_FP64", 0, "'CONFIDENCE' is TYPE_FP32 from model 'postpro"),
        ("topics", 'value: "TOPIC"', 'value: "LABEL"', None, "no step makes output 'TOPIC'"),
        ("topics", "max_batch_size: 16", "max_batch_size: 32", 16, "'preprocess' only 16"),
        ("topics", '"ensemble"', '"ensembles"', 0, 'needs platform: "ensemble"'),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(
    topics: Path, file: str, old: str, new: str, offset: int | None, says: str
) -> None:
    line, column = change(topics, f"{file}/config.pbtxt", old, new)
    problems = repository.check(topics)
    told = [p for p in problems if p.file == f"{file}/config.pbtxt" and says in p.text]
    assert told, problems
    if offset is not None:
        assert (told[0].line, told[0].column) == (line, column + offset), told


def test_swapped_keys_and_values_are_named(topics: Path) -> None:
    old = 'output_map { key: "input_ids" value: "ids" }'
    change(topics, "topics/config.pbtxt", old, 'output_map { key: "ids" value: "input_ids" }')
    assert any("key and value are swapped" in p.text for p in repository.check(topics))


def test_an_input_that_nothing_feeds(topics: Path) -> None:
    old = 'input_map { key: "attention_mask" value: "mask" }'
    line, _ = change(topics, "topics/config.pbtxt", old, "")
    unused, problem = repository.check(topics)
    assert "input 'attention_mask' of model 'bert' gets nothing" in problem.text
    assert 0 < line - problem.line < 10
    assert "tensor 'mask' is unused" in unused.text


def test_a_tensor_that_is_made_twice(topics: Path) -> None:
    change(topics, "topics/config.pbtxt", 'value: "mask"', 'value: "ids"')
    texts = [problem.text for problem in repository.check(topics)]
    assert any("made twice: model 'preprocess' has it already" in text for text in texts)


def test_steps_in_a_circle(topics: Path) -> None:
    (topics / "loop" / "1").mkdir(parents=True)
    (topics / "loop" / "config.pbtxt").write_text(
        'platform: "ensemble" max_batch_size: 16\n'
        'input [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
        'output [ { name: "a" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
        "ensemble_scheduling { step [\n"
        '  { model_name: "same" model_version: -1 input_map { key: "I" value: "b" } '
        'output_map { key: "O" value: "a" } },\n'
        '  { model_name: "same" model_version: -1 input_map { key: "I" value: "a" } '
        'output_map { key: "O" value: "b" } }\n'
        "] }\n"
    )
    (topics / "same" / "1").mkdir(parents=True)
    (topics / "same" / "1" / "model.py").write_text(PYTHON)
    (topics / "same" / "config.pbtxt").write_text(
        'backend: "python" max_batch_size: 16\n'
        'input [ { name: "I" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
        'output [ { name: "O" data_type: TYPE_STRING dims: [ 1 ] } ]\n'
    )
    told = {(p.line, p.text) for p in repository.check(topics)}
    wait = "these steps wait for each other, and none can begin: 'same', 'same'"
    assert told == {(5, wait), (2, "input 'TEXT' goes to no step")}


@pytest.mark.parametrize(
    ("remove", "says"),
    [
        ("bert/1/model.onnx", "bert/1/model.onnx: it is missing"),
        ("preprocess/1/model.py", "preprocess/1/model.py: it is missing"),
        ("preprocess/config.pbtxt", "preprocess/config.pbtxt: it is missing"),
        ("topics/1", "topics: there is no version: make a folder called 1; an ensemble"),
        ("bert/1", "bert: there is no version"),
    ],
)
def test_what_is_missing(topics: Path, remove: str, says: str) -> None:
    path = topics / remove
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    problems = repository.check(topics)
    assert [p for p in problems if str(p).startswith(says)], problems


def test_a_broken_configuration_does_not_accuse_the_ensemble(topics: Path) -> None:
    change(topics, "bert/config.pbtxt", "max_batch_size", "batch")
    assert [problem.file for problem in repository.check(topics)] == ["bert/config.pbtxt"]


def test_a_version_that_the_policy_names_must_be_there(topics: Path) -> None:
    with (topics / "bert" / "config.pbtxt").open("a") as stream:
        stream.write("version_policy: { specific: { versions: [ 1, 2 ] } }\n")
    [problem] = repository.check(topics)
    assert str(problem).startswith("bert/config.pbtxt:11:46: version 2 is asked for")


def test_a_leading_zero_is_no_version(topics: Path) -> None:
    (topics / "bert" / "1").rename(topics / "bert" / "01")
    texts = [str(problem) for problem in repository.check(topics)]
    assert any(text.startswith("bert/01: the server ignores") for text in texts)


def test_a_file_that_is_no_model(topics: Path) -> None:
    (topics / "bert" / "1" / "model.onnx").write_bytes(b"\xff" * 100)
    [problem] = repository.check(topics)
    assert str(problem).startswith("bert/1/model.onnx: it is no ONNX model")


@pytest.mark.parametrize(
    "path",
    ["bert", "bert/1", "bert/config.pbtxt", "bert/1/model.onnx", "preprocess/1/model.py"],
)
def test_links_are_followed_only_where_the_server_sees_them(
    topics: Path, tmp_path: Path, path: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (topics / path).rename(elsewhere)
    (topics / path).symlink_to(elsewhere)
    assert repository.check(topics) == []
    problems = repository.check(topics, confined=True)
    assert any(str(problem).startswith(path.partition("/")[0]) for problem in problems) or (
        path == "bert" and "there is no model 'bert'" in problems[0].text
    )


def test_nothing_of_a_link_is_read_for_a_confined_server(topics: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("top secret")
    (topics / "bert" / "config.pbtxt").unlink()
    (topics / "bert" / "config.pbtxt").symlink_to(secret)
    problems = repository.check(topics, confined=True)
    assert [p.file for p in problems] == ["bert/config.pbtxt"]
    assert "a link is not followed here" in problems[0].text
    assert "secret" not in str(problems[0])


@pytest.mark.parametrize("name", ["../../../secret", "/../../../secret", "labels\\000.txt"])
def test_no_file_outside_of_the_repository_is_looked_at(
    topics: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret").write_text("x")
    change(topics, "bert/config.pbtxt", "dims: [ 6 ]", f'dims: [ 6 ] label_filename: "{name}"')
    for confined in (True, False):
        [problem] = repository.check(topics, confined=confined)
        assert "lies outside of the repository" in problem.text


def test_a_confined_server_sees_no_gpu(topics: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(topics, "bert/config.pbtxt", "KIND_CPU", "KIND_GPU")
    monkeypatch.setattr(repository, "_gpus_here", lambda: 2)
    assert repository.check(topics) == []
    [problem] = repository.check(topics, confined=True)
    assert "the server sees no GPU here: use KIND_CPU" in problem.text
    change(topics, "bert/config.pbtxt", "KIND_GPU", "KIND_GPU gpus: [ 0, 2 ]")
    [problem] = repository.check(topics)
    assert "there is no GPU 2: the server sees 2 here" in problem.text


@pytest.mark.parametrize("name", ["x" * 5000, "x/" * 2000 + "x", "x\\000", "\\377", "é\\n"])
def test_a_file_name_that_no_system_takes_is_a_problem(topics: Path, name: str) -> None:
    data = f'data_type: TYPE_INT64 dims: 32 input_data_file: "{name}"'
    state = f'input_name: "I" output_name: "O" initial_state {{ data_file: "{name}" }}'
    fields = {
        f'default_model_filename: "{name}" output [': "output [",
        f'dims: [ 6 ] label_filename: "{name}"': "dims: [ 6 ]",
        f'model_warmup {{ inputs {{ key: "X" value {{ {data} }} }} }} output [': "output [",
        f"sequence_batching {{ state {{ {state} }} }} output [": "output [",
    }
    sound = (topics / "bert" / "config.pbtxt").read_text()
    for new, old in fields.items():
        change(topics, "bert/config.pbtxt", old, new)
        for confined in (True, False):
            assert repository.check(topics, confined=confined)
        (topics / "bert" / "config.pbtxt").write_text(sound)
    path = topics / "preprocess" / "config.pbtxt"
    value = f'value {{ string_value: "{name}" }}'
    path.write_text(path.read_text() + f'parameters {{ key: "EXECUTION_ENV_PATH" {value} }}')
    assert repository.check(topics)


@pytest.mark.slow
def test_source_that_no_parser_can_take_is_no_crash(topics: Path) -> None:
    source = topics / "preprocess" / "1" / "model.py"
    for text in ("(" * 100_000, "-" * 100_000 + "1", "a" + ".b" * 100_000, "x = [" * 5000, "\xff"):
        source.write_bytes(text.encode("latin-1"))
        assert all(isinstance(problem, RepositoryProblem) for problem in repository.check(topics))


def test_an_empty_folder_is_no_repository(tmp_path: Path) -> None:
    assert [p.file for p in repository.check(tmp_path)] == ["."]


def test_deep_nesting_is_a_problem_and_no_crash(topics: Path) -> None:
    depth = 20_000
    text = "ensemble_scheduling { step { input_map" + " { key" * depth
    (topics / "bert" / "config.pbtxt").write_text(text)
    assert all(isinstance(problem, RepositoryProblem) for problem in repository.check(topics))
    assert repository.check(topics)


def test_places_are_those_of_the_text() -> None:
    text = (
        "# a comment: with { braces\n"
        'input [\n  { name: "a" dims: [ -1, 32 ] },\n  { name: "b\\"" "c" }\n]\n'
        "input < name: 'd' >\n"
    )
    place = locate(text)
    lines = text.splitlines()

    def at(*path: int | str) -> str:
        found = place.at(*path)
        return re.split(r"[\s,]", lines[found.line - 1][found.column - 1 :])[0]

    assert at("input", 0, "name") == '"a"'
    assert at("input", 0, "dims", 1) == "32"
    assert at("input", 1, "name") == '"b\\""'
    assert at("input", 2, "name") == "'d'"
    assert at("input", 1) == "{"
    assert at("input", 7, "name") == "#", "what is not there is the beginning of what holds it"


@pytest.mark.parametrize("number", ["99999999999999999999", "1" * 5000])
def test_a_number_that_fits_in_no_field(topics: Path, number: str) -> None:
    line, _ = change(topics, "topics/config.pbtxt", "model_version: -1", f"model_version: {number}")
    [problem] = repository.check(topics)
    assert (problem.file, problem.line) == ("topics/config.pbtxt", line)


@pytest.mark.parametrize(
    "name", ["../../../../../../../../etc/passwd", "a/model.onnx", "\\057dev/x"]
)
def test_a_files_name_that_leaves_its_version_is_not_opened(topics: Path, name: str) -> None:
    config = topics / "bert" / "config.pbtxt"
    config.write_text(config.read_text() + f'\ndefault_model_filename: "{name}"\n')
    [problem] = repository.check(topics)
    assert "a name without a folder is wanted" in problem.text


def test_a_configuration_of_100_kilobytes_is_not_read(topics: Path) -> None:
    config = topics / "bert" / "config.pbtxt"
    config.write_text(config.read_text() + "# nothing\n" * 10_000)
    [problem] = repository.check(topics)
    assert str(problem) == "bert/config.pbtxt: it has more than 64 KiB"


@pytest.mark.slow
def test_thousands_of_names_that_fit_nothing_are_soon_done_with(topics: Path) -> None:
    config = topics / "topics" / "config.pbtxt"
    keys = "".join(f'input_map {{ key: "x{n}" value: "y{n}" }}\n' for n in range(1000))
    config.write_text(
        config.read_text().replace('model_name: "bert"', f'model_name: "bert" {keys}')
    )
    many = topics / "bert" / "config.pbtxt"
    inputs = "".join(f'input {{ name: "t{n}" }}\n' for n in range(2500))
    many.write_text(many.read_text() + inputs)

    began = time.process_time()
    problems = repository.check(topics)

    assert 50 < len(problems) <= 100
    assert time.process_time() - began < 10


def texts(folder: Path) -> list[str]:
    return [problem.text for problem in repository.check(folder)]


def test_what_the_server_completes_may_be_left_out(topics: Path) -> None:
    """The onnxruntime backend completes it from the model; model.py, if it has a method for it."""
    bert = topics / "bert" / "config.pbtxt"
    bert.write_text('max_batch_size: 16\nbackend: "onnxruntime"\n')
    assert texts(topics) == []
    bert.write_text("max_batch_size: 16\n")
    assert texts(topics) == []
    python = topics / "preprocess" / "config.pbtxt"
    python.write_text("max_batch_size: 16\n")
    assert texts(topics) == [
        "it has no input: add `input [ { … } ]`",
        "it has no output: add `output [ { … } ]`",
    ]
    with (topics / "preprocess" / "1" / "model.py").open("a") as source:
        source.write("\ndef auto_complete_config(config): return config\n")
    assert texts(topics) == []


def test_inputs_that_the_sequence_batcher_feeds_need_no_declaration(topics: Path) -> None:
    shutil.rmtree(topics / "topics")
    path = topics / "bert" / "config.pbtxt"
    text = re.sub(r',\s*\{ name: "attention_mask"[^}]*\}', "", path.read_text())
    text = re.sub(r"dynamic_batching \{ \}", "", text)
    path.write_text(text)
    assert any("has an input 'attention_mask' too" in said for said in texts(topics))
    control = "control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] }"
    batcher = f'sequence_batching {{ control_input {{ name: "attention_mask" {control} }} }}'
    path.write_text(f"{text}\n{batcher}\n")
    assert texts(topics) == []


def test_a_version_that_is_not_available(topics: Path) -> None:
    config = topics / "topics" / "config.pbtxt"
    config.write_text(re.sub(r'("bert"\s+model_version:) -1', r"\1 2", config.read_text()))
    (said,) = texts(topics)
    assert said.startswith("version 2 of model 'bert' is not available")
    assert said.endswith("there is 1; -1 is the newest")
    shutil.copytree(topics / "bert" / "1", topics / "bert" / "2")
    assert texts(topics) == []
    shutil.copytree(topics / "bert" / "1", topics / "bert" / "3")
    assert texts(topics)[0].endswith("there is 3; -1 is the newest")


def test_ensembles_that_run_each_other(topics: Path) -> None:
    around = topics / "around"
    shutil.copytree(topics / "topics", around)
    (around / "1").mkdir(exist_ok=True)
    change(topics, "around/config.pbtxt", 'name: "topics"', 'name: "around"')
    assert texts(topics) == []
    change(topics, "around/config.pbtxt", 'model_name: "bert"', 'model_name: "around"')
    assert "model 'around' runs this ensemble again, and so without end" in texts(topics)


def test_what_two_decoupled_models_give_does_not_meet(tmp_path: Path) -> None:
    def model(name: str, inputs: str, *more: str) -> None:
        (tmp_path / name / "1").mkdir(parents=True)
        (tmp_path / name / "1" / "model.py").write_text(PYTHON)
        tensors = [f'input {{ name: "{i}" data_type: TYPE_FP32 dims: [ 1 ] }}' for i in inputs]
        output = 'output { name: "Y" data_type: TYPE_FP32 dims: [ 1 ] }'
        (tmp_path / name / "config.pbtxt").write_text("\n".join([*tensors, output, *more]))

    def step(name: str, into: dict[str, str], out: str) -> str:
        maps = [f'input_map {{ key: "{k}" value: "{v}" }}' for k, v in into.items()]
        maps.append(f'output_map {{ key: "Y" value: "{out}" }}')
        return f'step {{ model_name: "{name}" model_version: -1 {" ".join(maps)} }}'

    decoupled = "model_transaction_policy { decoupled: true }"
    model("many", "X", decoupled)
    model("other", "X")
    model("sum", "AB")
    for second, problems in (("other", 1), ("many", 1)):
        steps = [
            step("many", {"X": "x"}, "first"),
            step(second, {"X": "x"}, "second"),
            step("sum", {"A": "first", "B": "second"}, "Y"),
        ]
        ensemble = f'platform: "ensemble" ensemble_scheduling {{ {" ".join(steps)} }}'
        shutil.rmtree(tmp_path / "all", ignore_errors=True)
        model("all", "x", ensemble)
        assert len([said for said in texts(tmp_path) if "different decoupled" in said]) == problems
    steps[1] = step("other", {"X": "first"}, "second")
    shutil.rmtree(tmp_path / "all")
    model("all", "x", f'platform: "ensemble" ensemble_scheduling {{ {" ".join(steps)} }}')
    assert texts(tmp_path) == []


def test_an_unbatched_model_beside_a_batched_one(topics: Path) -> None:
    """The server accepts it if the shapes agree with or without the batch dimension."""
    change(topics, "topics/config.pbtxt", "max_batch_size: 16", "max_batch_size: 0")
    assert texts(topics) == []
