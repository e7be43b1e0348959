"""A course's grading settings: `c.Grading` in its nbgrader_config.py."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, cast

from traitlets import Any as AnyTrait
from traitlets import Bool, Float, Integer, List, Unicode
from traitlets.config import Configurable

from hotloop.course.isolation import choose
from hotloop.course.judging import shared_judge
from hotloop.course.notebook_run import Terms


class Grading(Configurable):
    """Limits of a learner's notebook and of the judge, and what to judge.

    traitlets names the section of nbgrader_config.py by this class: renamed, it would ignore the
    settings of existing courses.
    """

    cell_timeout_s = Float(60.0, help="Seconds that one cell of a learner may run.").tag(
        config=True
    )
    notebook_timeout_s = Float(
        600.0, help="Seconds that all cells of a learner together may run."
    ).tag(config=True)
    judge_budget_s = Float(180.0, help="Seconds that judging one task may take.").tag(config=True)
    memory_mib = Integer(4096, help="MiB of memory that a learner's notebook may use.").tag(
        config=True
    )
    tasks = List(
        Unicode(), help="Judge only these tasks; the others stay pending. Empty: all."
    ).tag(config=True)
    nsight = Bool(
        False, help="Also run kernels under Nsight Compute on a GPU; feedback shows its figures."
    ).tag(config=True)
    isolation = AnyTrait(choose, help="Gives the hotloop Isolation to run under.").tag(config=True)
    judge_factory = AnyTrait(shared_judge, help="Gives the judge.").tag(config=True)

    @classmethod
    def of(cls, root: Path, settings: Mapping[str, Any]) -> Self:
        """Load the course's configuration, overridden by `settings`."""
        # nbgrader loads the configuration without importing this module.
        from hotloop.course.config import load_config

        config = load_config(root)
        config.Grading.update(dict(settings))
        return cls(config=config)

    def terms(self) -> Terms:
        """Return the settings as `Terms`."""
        return Terms(
            cell_s=self.cell_timeout_s,
            notebook_s=self.notebook_timeout_s,
            judge_budget_s=self.judge_budget_s,
            memory_bytes=self.memory_mib << 20,
            nsight=self.nsight,
            isolation=self.isolation,
            judge=self.judge_factory,
        )

    def tasks_to_judge(self) -> tuple[str, ...]:
        """Return the tasks to judge; empty for all."""
        return tuple(cast(Any, self).tasks)
