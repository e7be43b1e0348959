"""`hotloop takehome baseline`: measure what a model alone scores on a role."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_consent, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account


def run(
    role: Annotated[str, typer.Argument(help="The role whose packs the model attempts.")],
    endpoint: Annotated[
        str,
        typer.Option(metavar="URL", help="Base of an OpenAI-compatible API, such as https://…/v1."),
    ],
    model: Annotated[str, typer.Option(help="The model's name there.")],
    key_env: Annotated[
        str, typer.Option(metavar="NAME", help="Environment variable that holds the key.")
    ] = "OPENAI_API_KEY",
    attempts: Annotated[int, typer.Option(min=1, max=100, help="Packs to attempt.")] = 5,
    turns: Annotated[
        int,
        typer.Option(min=1, max=20, help="Replies a pack; between them it reads its verdicts."),
    ] = 1,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before texts are sent.")] = False,
    folder: TeamFolder = Path(),
) -> CommandResult:
    """Let your own model attempt a role's packs.

    Reports then say where a candidate stands. Sends texts to URL; no other command does.
    """
    team = open_team(folder)
    from hotloop.core import intervals
    from hotloop.takehome import baseline, execution
    from hotloop.takehome.chat import Chat, ChatError

    wanted = team.role(role)
    tasks = execution.code_tasks(wanted.module, [task.task for task in wanted.tasks])
    if not tasks:
        raise UserError(f"{role} asks for no task that the judge can judge.")
    chat = Chat(endpoint, model, key_env)
    require_sandbox()
    require_consent(
        f"This sends the texts and starter files of {role}, in variants that no candidate has, to "
        f"{chat.host}, {attempts * turns} times or more. Nothing of any candidate is sent. Go on?",
        "Nothing was sent.",
        yes=yes,
    )
    team.audit(account(), f"sent the texts of {role} to {chat.host}, for {model}")
    done: list[baseline.ModelAttempt] = []
    failed = ""
    with judging_line() as say:
        for number in range(1, attempts + 1):
            begin = f"attempt {number} of {attempts}, "
            try:
                done.append(
                    baseline.attempt(team, wanted, chat, turns, lambda text, b=begin: say(b + text))
                )
            except ChatError as error:
                failed = str(error)
                break
    if not done:
        raise UserError(failed)
    series = baseline.series(wanted, chat, turns, done)
    path = baseline.keep(team, wanted.role, series)
    scores = series.scores({task.task: task.weight for task in wanted.tasks if task.task in tasks})
    hard = [name for name in tasks if series.is_hard(name)]
    lines = [
        f"attempt with a result, {n}: {intervals.said(s)} of 100 by what was measured"
        for n, s in enumerate(scores, start=1)
    ]
    if empty := len(done) - len(scores):
        lines.append(
            f"No result, as no reply had a file or a cell: {empty} of {len(done)} attempts"
        )
    lines.append(_hard_sentence(hard, len(scores)))
    lines.append(f"{path}: reports that are written from now on place candidates against it.")
    if failed:
        lines.append(f"Ended early. {failed}")
    document = {
        "role": wanted.role,
        "model": model,
        "host": chat.host,
        "scores": [asdict(score) for score in scores],
        "hard": hard,
        "file": str(path),
        "error": failed,
    }
    return CommandResult(document, Text("\n".join(lines)), exit_code=int(bool(failed)))


def _hard_sentence(hard: list[str], attempts: int) -> str:
    if hard:
        return f"Hard for it (mostly below half of the points): {', '.join(hard)}."
    few = " Four attempts are the fewest that can show it." if attempts < 4 else ""
    return f"No task was shown to be hard for it.{few}"
