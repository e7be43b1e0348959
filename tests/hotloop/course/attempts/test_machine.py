"""The machine that ran an attempt."""

from hotloop.course.attempts.machine import machine


def test_a_machine_is_what_it_says() -> None:
    document = machine("bubblewrap")
    assert machine("bubblewrap") == document
    assert machine("none") != document
    assert set(document) == {
        "python",
        "numpy",
        "torch",
        "triton",
        "wasmtime",
        "ziglang",
        "device",
        "driver",
        "cores",
        "isolation",
    }
    assert document["torch"] != "none"
    assert int(document["cores"]) >= 1
