"""Sets up a class in one folder for one account that acts as instructor and learner.

`course/` is the instructor's: an nbgrader course, with its own exchange beside it. The folder
itself is the learner's: JupyterLab is opened there, and Assignment List fetches modules into it. On
a hub these are different accounts that share the exchange.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop.course import exchange
from hotloop.course.config import CONFIG_FILE, make_folder
from hotloop.course.prepare import COURSE_ID, exercise, hand_out, prepare, releasing

COURSE = "course"
GUIDE = "START.md"

_LEARNERS_CONFIG = '''\
"""Settings of nbgrader for JupyterLab in this folder: those of the course, and a learner's own."""
from pathlib import Path

c = get_config()  # noqa: F821
load_subconfig("course/nbgrader_config.py", str(Path(__file__).parent))  # noqa: F821
c.Exchange.cache = str(Path(__file__).parent / ".submitted")
'''

_GUIDE = """\
# A class, played by one account

**As a learner.** Menu *Nbgrader → Assignment List*: choose the course `{course}`, *Fetch* a
module, open its `lab`. Run the cells, solve a task, run its `check(…)`. *Validate* in the
notebook's toolbar runs everything once more. *Submit* in Assignment List hands in.

**As the instructor.** Menu *Nbgrader → Formgrader*: *Collect* what was handed in, *Autograde*,
mark the written tasks, *Generate feedback*, *Release feedback*. Or in a terminal, in the folder
`course`:

```
nbgrader collect MODULE
hotloop course grade MODULE
nbgrader release_feedback MODULE
```

**As the learner again.** *Fetch Feedback* in Assignment List.
"""


@dataclass(frozen=True)
class Classroom:
    """A class.

    folder: the learner's, for JupyterLab. course: inside it. released: modules in order.
    """

    folder: Path
    course: Path
    released: list[str]


def make(
    folder: Path,
    modules: Sequence[str],
    say: Callable[[str], None] = lambda _module: None,
) -> Classroom:
    """Create the class or update it; learners' work is not changed.

    say: called with each module before its release. Raises NotPrepared if nbgrader rejects one.
    """
    folder = folder.resolve()
    course = folder / COURSE
    _write_settings(folder, course)
    api: Any = None
    for module in modules:
        if _is_current(course, module):
            continue
        say(module)
        prepare(course, [module])
        api = api or releasing(course)
        hand_out(api, module)
    return Classroom(folder, course, list(modules))


def _write_settings(folder: Path, course: Path) -> None:
    # Not the machine's exchange: this is a trial.
    make_folder(course, COURSE_ID, exchange.beside(course))
    for name, text in {
        CONFIG_FILE: _LEARNERS_CONFIG,
        GUIDE: _GUIDE.format(course=COURSE_ID),
    }.items():
        if not (folder / name).exists():
            (folder / name).write_text(text, encoding="utf-8")


def _is_current(course: Path, module: str) -> bool:
    """True if the exchange has the current version of the exercise."""
    handed_out = exchange.beside(course) / COURSE_ID / "outbound" / module
    source = course / "source" / module
    return handed_out.is_dir() and all(
        (source / name).is_file() and (source / name).read_bytes() == content
        for name, content in exercise(course, module).items()
    )
