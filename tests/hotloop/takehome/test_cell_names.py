import pytest

from hotloop.takehome.cell_names import bound, read, statements


def test_what_a_cell_makes() -> None:
    source = "import a.b as c, d.e\nfrom f import g as h\nx = 1\nfor i in y: pass\ndef k(l): m = 1"
    assert bound(source) == {"c", "d", "h", "x", "i", "k"}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = y + z", {"y", "z"}),
        ("def f(a):\n    b = a\n    return b + c", {"c"}),
        ("[i for i in xs if i < n]", {"xs", "n"}),
        ("class A(B):\n    c = d", {"B", "d"}),
        ("f = lambda q: q + r", {"r"}),
        ("%matplotlib inline", set()),
    ],
)
def test_what_a_cell_takes(source: str, names: set[str]) -> None:
    assert read(source) == names


def test_statements_keep_their_text() -> None:
    source = "# why\nx = (1,\n     2)\n\n@d\ndef f():\n    return 1  # one"
    assert statements(source) == ["x = (1,\n     2)", "@d\ndef f():\n    return 1  # one"]
    assert statements("%magic") == []
