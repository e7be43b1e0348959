"""The formgrader extension: nbgrader's, with Hotloop's lists, marks and pages taking precedence."""

import json
from pathlib import Path
from typing import Any, cast

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader
from jupyter_server.utils import url_path_join
from nbgrader.server_extensions.formgrader import apihandlers, handlers
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from tornado import web

from hotloop.course.formgrader import deadlines, marking, questions
from hotloop.course.formgrader.lists import ListsAPI
from hotloop.course.formgrader.page import MarkingPage

TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"
NBGRADERS = handlers.template_path


class Formgrader(FormgradeExtension):
    """`FormgradeExtension` for a course that Hotloop grades."""

    def build_extra_config(self) -> Any:
        """Return nbgrader's configuration with the templates of the marking page."""
        config = cast(Any, super()).build_extra_config()
        config.MarkingPage.template_name = "hotloop_formgrade"
        config.MarkingPage.extra_template_basedirs = [str(TEMPLATES), NBGRADERS]
        config.MarkingPage.extra_template_paths = [NBGRADERS]
        return config

    def init_tornado_settings(self, webapp: Any) -> None:
        """Apply nbgrader's settings, with autoescaping templates."""
        cast(Any, super()).init_tornado_settings(webapp)
        nbgraders = FileSystemLoader(NBGRADERS)
        loader = ChoiceLoader(
            [FileSystemLoader(TEMPLATES), nbgraders, PrefixLoader({"nbgrader": nbgraders})]
        )
        webapp.settings.update(
            nbgrader_exporter=MarkingPage(parent=self, config=cast(Any, self).config),
            nbgrader_jinja2_env=Environment(loader=loader, autoescape=True),
        )

    def init_handlers(self, webapp: Any) -> None:
        """Register Hotloop's handlers, then nbgrader's."""
        files = web.StaticFileHandler
        routes = [
            *marking.routes,
            *deadlines.routes,
            *questions.routes,
            (r"/formgrader/api/students", _Learners),
            (r"/formgrader/hotloop/(.*)", files, {"path": str(STATIC)}),
            (r"/formgrader/static/(.*)", files, {"path": handlers.static_path}),
            *map(_of_ours, [*handlers.default_handlers, *apihandlers.default_handlers]),
            (r"/formgrader/.*", handlers.Template404),
        ]
        base = webapp.settings["base_url"]
        webapp.add_handlers(
            ".*$", [(url_path_join(base, path.lstrip("/")), *more) for path, *more in routes]
        )


class _Lists:
    """Mixin that makes a handler of nbgrader use `ListsAPI`."""

    @property
    def api(self) -> ListsAPI:
        """The Python API of the course, with its current settings."""
        course = cast(Any, self).coursedir
        course.parent.load_config_file()
        api = cast(Any, ListsAPI)(course, cast(Any, self).authenticator, parent=course.parent)
        api.log_level = cast(Any, self).log.level
        return api


class _Learners(_Lists, apihandlers.StudentCollectionHandler):
    """Manage Students."""

    @web.authenticated
    def get(self) -> None:
        """Return all learners."""
        cast(Any, self).write(json.dumps(self.api.learners()))


class _HandedInFiles(handlers.SubmissionFilesHandler):
    """A learner's submitted file: browsers may display it, but scripts in it do not run."""

    def set_extra_headers(self, path: str) -> None:  # noqa: ARG002 - tornado's signature
        """Block scripts, and access to this server's origin."""
        self.set_header("Content-Security-Policy", "sandbox; default-src 'none'")
        self.set_header("X-Content-Type-Options", "nosniff")


def _of_ours(route: tuple[Any, ...]) -> tuple[Any, ...]:
    path, handler, *more = route
    if handler is handlers.SubmissionFilesHandler:
        return path, _HandedInFiles, *more
    if handler is web.StaticFileHandler:
        return route
    if handler is apihandlers.AssignmentHandler:
        handler = deadlines.OneAssignment
    return path, type(handler.__name__, (_Lists, handler), {}), *more


def load(server: Any) -> None:
    """Add formgrader to a server, like nbgrader's own extension."""
    extension = cast(Any, Formgrader)(parent=server)
    extension.root_dir = server.root_dir
    extension.log = server.log
    extension.initialize([])
    extension.init_tornado_settings(server.web_app)
    extension.init_handlers(server.web_app)
