"""The reason for a failed start is found in the real output of servers."""

from hotloop.engines.serving import server_log

PYTHON_ERROR = """I1121 18:59:55.1 2 model_lifecycle.cc:472] "loading: bad:1"
I1121 18:59:56.1 2 python_be.cc:1912] "TRITONBACKEND_ModelInstanceInitialize: bad_0_0"
E1121 18:59:56.2 2 pb_stub.cc:402] "Failed to initialize Python stub: ValueError: no vocabulary

At:
  /submission/bad/1/model.py(4): initialize
"
E1121 18:59:56.9 2 backend_model.cc:692] "ERROR: Failed to create: ValueError: no vocabulary

At:
  /submission/bad/1/model.py(4): initialize
"
E1121 18:59:57.0 2 model_lifecycle.cc:642] "failed to load 'bad' version 1: Internal: ValueError: \
no vocabulary\n\nAt:\n  /submission/bad/1/model.py(4): initialize\n"
+---------+---------+-------------------------------+
| Model   | Version | Status                        |
+---------+---------+-------------------------------+
| bad     | 1       | UNAVAILABLE: Internal: ValueE |
| good    | 1       | READY                         |
+---------+---------+-------------------------------+
"""
POLL = """E1121 19:00:00.0 2 model_repository_manager.cc:1460] "Poll failed for model directory \
'bert': failed to open text file for read /submission/bert/config.pbtxt: No such file or directory"
"""


def test_a_model_that_failed_is_named_with_the_reason() -> None:
    said = server_log.failure(PYTHON_ERROR)
    assert said.startswith("bad, version 1: Internal: ValueError: no vocabulary")
    assert "model.py(4)" not in said


def test_a_directory_that_could_not_be_read() -> None:
    said = server_log.failure(POLL)
    assert said.startswith("bert: failed to open text file")
    assert not said.endswith('"')


def test_another_error_is_better_than_none() -> None:
    log = (
        'I1121 1 2 a.cc:1] "fine"\n'
        'E1121 19:00:00.0 2 cuda.cc:9] "CudaDriverHelper has not been initialized."\n'
        'E1121 19:00:00.0 2 main.cc:9] "no port is free"\n'
    )
    assert server_log.failure(log) == "no port is free"
    assert server_log.failure('I1121 1 2 a.cc:1] "fine"\n') == ""


def test_a_reason_has_an_end() -> None:
    log = f"failed to load 'm' version 1: {'x' * 5000}\n"
    assert len(server_log.failure(log)) < 700
