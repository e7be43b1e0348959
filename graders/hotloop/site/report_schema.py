"""The form of a take-home's report, as a file of the site that other programs can read."""

import json

from hotloop.takehome.report import schema

PLACE = "takehome/report.schema.json"


def text() -> str:
    """What `hotloop takehome grade --schema` prints."""
    return json.dumps(schema(), indent=2, ensure_ascii=False)
