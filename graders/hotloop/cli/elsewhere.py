"""`hotloop check --on URL`: judge on another machine, as `hotloop check` does on this one."""

from hotloop.cli.answer import log
from hotloop.cli.judging import judging_line
from hotloop.cli.work import Work
from hotloop.core.record import Record
from hotloop.learn.pack import work_files
from hotloop.learn.practice import verdicts
from hotloop.learn.remote import judge_remotely


def judged(work: Work, seed: str, url: str, *, nsight: bool) -> dict[str, Record]:
    """Return the records by task. url: as in `hotloop.learn.remote.judge_remotely.ask`."""
    for name, why in work_files.left_out(work.folder).items():
        log(f"{name} stays here: {why}")
    request = judge_remotely.request(
        work.folder,
        work.module.id,
        [task.id for task in work.code],
        variant=work.variant(),
        given=work.given,
        seed=seed,
        nsight=nsight,
    )
    with judging_line(verdicts.took_before(work.keys)) as say:
        return judge_remotely.ask(url, request, lambda text: say(f"{url}: {text}"))
