"""nbgrader for a learner: which course. Work goes out and in through the shared exchange."""

import os

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = os.environ.get("HOTLOOP_COURSE", "hotloop")
# Seconds for one cell under Validate, which measures speed too; nbgrader itself allows 30.
c.Execute.timeout = 240
