"""The benchmark of faults reads the tables that the course's store makes."""

import sys
from pathlib import Path

import sqlalchemy

from hotloop.course.attempts.store import Store

sys.path.insert(0, str(Path(__file__).parent))

from fault_scenarios.course import HISTORY


def test_its_queries_fit_the_tables(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'gradebook.db'}")
    for query in HISTORY.values():
        assert store.read(lambda db, q=query: db.execute(sqlalchemy.text(q)).all()) == []
