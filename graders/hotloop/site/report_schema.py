"""The JSON schema of a take-home's report, as a file of the site for other programs."""

import json

from hotloop.takehome.report import schema

PLACE = "takehome/report.schema.json"


def text() -> str:
    """Return the output of `hotloop takehome grade --schema`."""
    return json.dumps(schema(), indent=2, ensure_ascii=False)
