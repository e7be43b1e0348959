"""This course is graded by Hotloop, in containers. Settings of your own go below the last line.

HOTLOOP_DATABASE: URL of the gradebook, such as postgresql+psycopg://user:password@host/name.
Without it, the gradebook is a file in the course.
"""

import os
from pathlib import Path

from hotloop.course.config import configure

c = get_config()  # noqa: F821
configure(c, Path(__file__).parent, course_id=os.environ.get("HOTLOOP_COURSE", "hotloop"))
if os.environ.get("HOTLOOP_DATABASE"):
    c.CourseDirectory.db_url = os.environ["HOTLOOP_DATABASE"]
