"""The JSON schema of a take-home's report, as a file of the site for other programs."""

import json

from hotloop.takehome.report import schema

PLACE = "takehome/report.schema.json"


def text() -> str:
    """Return the schema, as `hotloop takehome grade --schema` prints it."""
    return json.dumps(schema(), indent=2, ensure_ascii=False)
