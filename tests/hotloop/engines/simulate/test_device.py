"""Demangled names match the source."""

import pytest

from hotloop.engines.simulate import device


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("table", "table"),
        ("_ZZ7reversePfE1s", "s"),
        ("_ZZ1fILi256EEvPfS0_E4tile", "tile"),
        ("_ZN2ns5tableE", "table"),
        ("_ZL5calls", "calls"),
        ("_ZZ1kPfE4tile_0", "tile"),
    ],
)
def test_a_variable_is_called_as_in_the_source(symbol: str, name: str) -> None:
    assert device.plain_name(symbol) == name
