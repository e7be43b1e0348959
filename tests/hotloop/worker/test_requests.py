"""What a worker says of an exception."""

from hotloop.worker.requests import describe_error

BUILD = """Error building extension 'softmax_ext': [1/2] c++ -MMD -DTORCH_EXTENSION_NAME=softmax_ext
FAILED: [code=1] softmax_ext.o
c++ -MMD -DTORCH_EXTENSION_NAME=softmax_ext -c softmax_ext.cpp
/home/learner/softmax_ext.cpp: In function 'at::Tensor f(at::Tensor)':
/home/learner/softmax_ext.cpp:68:25: error: no match for 'operator*'
/home/learner/softmax_ext.cpp:70:1: error: expected ';'
"""


def test_an_extension_that_does_not_build_is_told_by_its_first_error() -> None:
    said = describe_error(RuntimeError(BUILD))["message"]
    assert said == "/home/learner/softmax_ext.cpp:68:25: error: no match for 'operator*'"


def test_other_messages_stay() -> None:
    for text in ("softmax.py: error: none", "Error building extension 'x'", ""):
        assert describe_error(RuntimeError(text))["message"] == text
