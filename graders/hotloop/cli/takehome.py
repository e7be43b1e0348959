"""`hotloop takehome`: exercises that a hiring team sends, and what comes back."""

from __future__ import annotations

import typer

from hotloop.cli import (
    takehome_candidate,
    takehome_deciding,
    takehome_judging,
    takehome_serve,
    takehome_team,
)

app = typer.Typer(
    help="Take-home exercises: packs for candidates, and what comes back.", no_args_is_help=True
)

# One file for each side; each registers its own commands.
takehome_candidate.register(app)
takehome_team.register(app)
takehome_judging.register(app)
takehome_deciding.register(app)
takehome_serve.register(app)
