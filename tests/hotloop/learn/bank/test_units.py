import pytest

from hotloop.learn.bank import units


@pytest.mark.parametrize(
    ("written", "unit", "factor"),
    [
        ("GB", "bytes", 1e9),
        ("GiB", "bytes", 2**30),
        ("Gbit", "bytes", 1e9 / 8),
        ("Gb", "bytes", 1e9 / 8),
        ("MB", "GB", 1e-3),
        ("bytes", "GB", 1e-9),
        ("GB/s", "GB/s", 1),
        ("TB/s", "GB/s", 1000),
        ("MB", "Mbit", 8),
        ("ms", "s", 1e-3),
        ("µs", "ms", 1e-3),
        ("us", "ms", 1e-3),
        ("%", "%", 1),
        ("TFLOP/s", "FLOP/s", 1e12),
        ("GFLOP/s", "TFLOP/s", 1e-3),
        ("GFLOPs", "FLOP", 1e9),
        ("million tokens", "tokens", 1e6),
        ("k", "tokens/s", 1e3),
        ("request/s", "requests/s", 1),
        ("", "GB", 1),
        ("k", "", 1e3),
    ],
)
def test_a_unit_is_read_in_the_one_that_was_asked_for(
    written: str, unit: str, factor: float
) -> None:
    assert units.readings(unit)[written] == pytest.approx(factor)


@pytest.mark.parametrize(("written", "unit"), [("s", "GB"), ("GB", "GB/s"), ("frogs", "tokens")])
def test_a_unit_of_something_else_is_unknown(written: str, unit: str) -> None:
    assert written not in units.readings(unit)


@pytest.mark.parametrize(
    ("unit", "factor"), [("GB", 1e-9), ("GiB", 2**-30), ("ms", 1e3), ("%", 100), ("tokens", 1)]
)
def test_a_bare_number_may_be_meant_without_prefix(unit: str, factor: float) -> None:
    assert units.base_factor(unit) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (3.2e9, "bytes", "3,200,000,000 bytes (3.2 GB)"),
        (4096, "bytes", "4,096 bytes"),
        (3.25, "GB", "3.25 GB"),
        (0.123456, "ms", "0.1235 ms"),
        (2.5e12, "FLOP", "2,500,000,000,000 FLOP (2.5 TFLOP)"),
        (12345, "tokens/s", "12,345 tokens/s"),
        (7, "", "7"),
    ],
)
def test_a_value_is_shown_as_people_write_it(value: float, unit: str, text: str) -> None:
    assert units.shown(value, unit) == text
