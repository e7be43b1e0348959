"""Each rule reports a configuration that violates it, with its position, and no other."""

import pytest

from hotloop.engines.serving import model_config, model_rules
from hotloop.engines.serving.model_config import ModelConfig

pytest.importorskip("google.protobuf", reason="protobuf: pip install 'hotloop[serving]'")

SOUND = """
max_batch_size: 8
input [
  { name: "X" data_type: TYPE_FP32 dims: [ 2, 4, -1, 6 ] reshape { shape: [ 8, -1, 1, 6 ] } },
  { name: "ONE" data_type: TYPE_FP32 dims: [ 1 ] reshape { shape: [ ] } }
]
output { name: "Y" data_type: TYPE_FP32 dims: [ 4 ] }
batch_input {
  kind: BATCH_ELEMENT_COUNT target_name: "COUNT" data_type: TYPE_INT32 source_input: "X"
}
batch_output { target_name: "Y" kind: BATCH_SCATTER_WITH_INPUT_SHAPE source_input: "X" }
instance_group [ { kind: KIND_CPU count: 2 }, { kind: KIND_GPU gpus: [ 0 ] } ]
dynamic_batching {
  preferred_batch_size: [ 4, 8 ] priority_levels: 3 default_priority_level: 2
  priority_queue_policy { key: 3 value { timeout_action: DELAY default_timeout_microseconds: 9 } }
}
"""
SEQUENCES = """
max_batch_size: 8
sequence_batching {
  oldest { preferred_batch_size: [ 4 ] }
  control_input [
    { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] } },
    { name: "ID" control { kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64 } }
  ]
}
"""


def config_of(text: str) -> ModelConfig:
    found = model_config.read(text, "m/config.pbtxt")
    assert isinstance(found, ModelConfig), found
    return found


@pytest.mark.parametrize("text", [SOUND, SEQUENCES, ""])
def test_a_sound_configuration_breaks_no_rule(text: str) -> None:
    assert list(model_rules.check(config_of(text))) == []


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[ 8, -1, 1, 6 ]", "[ 8, -1, 0, 6 ]", "at least 1, or -1 for any size, and not 0"),
        ("[ 8, -1, 1, 6 ]", "[ 8, -1, -1, 6 ]", "1 variable sizes in dims and 2 in reshape"),
        ("[ 8, -1, 1, 6 ]", "[ 1, -1, 8, 6 ]", "'X' has other numbers of elements"),
        ("[ 8, -1, 1, 6 ]", "[ 8, 1, -1, 7 ]", "'X' has other numbers of elements"),
        ("dims: [ 1 ]", "dims: [ 2 ]", "'ONE' has other numbers of elements"),
        ("max_batch_size: 8", "", "'ONE' has an empty reshape"),
        ("max_batch_size: 8", "max_batch_size: -1", "max_batch_size is at least 0"),
        ('source_input: "X"\n}', "}", "BATCH_ELEMENT_COUNT takes one source_input, and has 0"),
        ('source_input: "X"\n}', 'source_input: ["X", "X"] }', "one source_input, and has 2"),
        ('source_input: "X"\n}', 'source_input: "Z" }', "source_input 'Z' is no input"),
        ("data_type: TYPE_INT32", "data_type: TYPE_INT8", "or TYPE_FP32, and not TYPE_INT8"),
        ('target_name: "Y"', 'target_name: "Z"', "target_name 'Z' is no output"),
        ('target_name: "Y"', 'target_name: [ "Y", "Y" ]', "target_name 'Y' is there twice"),
        ('source_input: "X" }', "}", "INPUT_SHAPE takes one source_input, and has 0"),
        ("count: 2", "count: 2 gpus: [ 0 ]", "of KIND_CPU names no GPUs"),
        ("count: 2", "count: -2", "count is at least 1"),
        ("gpus: [ 0 ]", "gpus: [ 0, -1 ]", "there is no GPU -1"),
        ("[ 4, 8 ]", "[ 4, 9 ]", "preferred_batch_size 9 is not between 1 and max_batch_size 8"),
        ("level: 2", "level: 4", "default_priority_level 4 is not between 1 and priority_levels 3"),
        ("key: 3", "key: 4", "priority_queue_policy 4 is not between 1 and priority_levels 3"),
        ("priority_levels: 3", "priority_levels: 3 preserve_ordering: true", "one priority level"),
        ("priority_levels: 3", "preserve_ordering: true", "timeout_action DELAY"),
    ],
)
def test_a_broken_rule_is_named(old: str, new: str, says: str) -> None:
    assert any(says in text for text in broken(SOUND, old, new))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('name: "ID"', 'name: "START"', "control_input 'START' is there twice"),
        ('name: "ID"', "", "a control_input needs a name"),
        ("CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64",
         "CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ]", "START has two tensors"),
        ("int32_false_true: [ 0, 1 ]", "", "needs one of int32_false_true, fp32_false_true"),
        ("[ 0, 1 ]", "[ 0 ]", "int32_false_true has two values, for false and for true, and not 1"),
        ("TYPE_UINT64", "TYPE_FP32", "TYPE_STRING, and not TYPE_FP32"),
        ("data_type: TYPE_UINT64", "int32_false_true: [ 0, 1 ]", "CORRID takes a data_type"),
        ("[ 4 ]", "[ 9 ]", "preferred_batch_size 9 is not between 1 and max_batch_size 8"),
        ("oldest { preferred_batch_size: [ 4 ] }", "direct { minimum_slot_utilization: 2 }",
         "minimum_slot_utilization is between 0 and 1, and not 2"),
        ("max_batch_size: 8", "max_batch_size: 8 response_cache { enable: true }",
         "sequence_batching has no response_cache"),
    ],
)  # fmt: skip
def test_a_broken_rule_of_sequences_is_named(old: str, new: str, says: str) -> None:
    assert any(says in text for text in broken(SEQUENCES, old, new))


def test_a_decoupled_model_is_not_cached() -> None:
    text = "response_cache { enable: true } model_transaction_policy { decoupled: true }"
    (problem,) = model_rules.check(config_of(text))
    assert (problem.line, problem.text) == (1, "a decoupled model has no response_cache")


def broken(text: str, old: str, new: str) -> list[str]:
    """Return the problems after a change; some changes violate a second rule too."""
    assert old in text
    problems = list(model_rules.check(config_of(text.replace(old, new, 1))))
    assert all(problem.line > 0 for problem in problems)
    return [problem.text for problem in problems]


@pytest.mark.parametrize(
    ("policy", "served"),
    [
        ("", [3]),
        ("version_policy { latest { num_versions: 2 } }", [2, 3]),
        ("version_policy { all { } }", [1, 2, 3]),
        ("version_policy { specific { versions: [ 1, 7 ] } }", [1]),
    ],
)
def test_the_versions_that_a_policy_makes_available(policy: str, served: list[int]) -> None:
    assert config_of(policy).served([1, 2, 3]) == served
