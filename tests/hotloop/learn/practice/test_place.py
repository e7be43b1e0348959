from pathlib import Path

import pytest

from hotloop.core import data_folder as place


def test_records_are_where_the_user_keeps_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert place.folder() == Path("/somewhere/hotloop")


@pytest.mark.parametrize("given", ["", "relative/data"])
def test_an_empty_or_relative_name_is_ignored(given: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", given)
    assert place.folder() == Path.home() / ".local" / "share" / "hotloop"
