"""Handlers for due dates and extensions: what is graded follows at once, as on the command line."""

import json
import math
from datetime import timedelta
from http import HTTPStatus
from typing import Any, cast

from nbgrader.server_extensions.formgrader.apihandlers import AssignmentHandler
from nbgrader.utils import parse_utc
from tornado import web

from hotloop.core.user_error import UserError
from hotloop.course import dates
from hotloop.course.formgrader.marking import Handler

MOST_HOURS = 24 * 366


class OneAssignment(Handler, AssignmentHandler):
    """Manage Assignments: one assignment, whose due date can be edited."""

    @web.authenticated
    def put(self, assignment_id: str) -> None:
        """Set the due date of a released module; other assignments stay nbgrader's.

        Replies 400 for an invalid date, or if the notebook could not be released with it.
        """
        name = assignment_id.strip()
        if name not in {due.module for due in dates.dates(self.root)}:
            cast(Any, super()).put(assignment_id)
            return
        document = self.body()
        parts = (document.get("duedate_notimezone"), document.get("duedate_timezone"))
        try:
            due = parse_utc(" ".join(str(part) for part in parts if part)) if parts[0] else None
            dates.set_due(self.root, name, due)
        except (UserError, ValueError, OverflowError, TypeError) as error:
            self.say({"message": str(error)}, HTTPStatus.BAD_REQUEST)
            return
        cast(Any, self).finish(json.dumps(cast(Any, self).api.get_assignment(name)))


class Extension(Handler):
    """A learner's extension for a module."""

    @web.authenticated
    def put(self, module: str, student: str) -> None:
        """Set it to `hours`, for the reason `why`; 0 takes it back.

        Replies 400 for invalid hours, without a reason, or for a module that was never released.
        """
        document = self.body()
        try:
            hours = float(document["hours"])
            if not (math.isfinite(hours) and 0 <= hours <= MOST_HOURS):
                raise UserError(f"Expected hours from 0 to {MOST_HOURS}.")
            extra, why = timedelta(hours=hours), str(document.get("why", ""))
            followed = dates.extend(self.root, module, [student], extra, why)
        except UserError as error:
            self.say({"message": str(error)}, HTTPStatus.BAD_REQUEST)
        except (KeyError, ValueError, TypeError) as error:
            self.say({"message": f"Expected hours: {error}"}, HTTPStatus.BAD_REQUEST)
        else:
            self.say({"changed": followed.changed, "problems": followed.problems})


routes = [(r"/formgrader/api/extension/([^/]+)/([^/]+)", Extension)]
