"""Open edX's side of LTI 1.3 as a process of its own, for a tool that runs on this machine:

    python open_edx.py PORT TOOL

Logins, keys, tokens and scores are the views of its package `lti-consumer-xblock`, on an SQLite
database in memory, with one registered tool. Only what the rest of Open edX does is made here:
`/begin?user=…&role=…&name=…&email=…` is the link in a course, `/registration` says what an
administrator copies into the tool, and `/score?user=…` is what the gradebook has.
"""

# Django is configured before the rest of it is imported.
# ruff: noqa: E402

import json
import sys
from typing import Any

PORT, TOOL = sys.argv[1], sys.argv[2]
URL = f"http://127.0.0.1:{PORT}"
MODULE = "ssa_passes"

import django
from django.conf import settings

settings.configure(
    LOGGING={
        "version": 1,
        "handlers": {"stderr": {"class": "logging.StreamHandler"}},
        "loggers": {"django.request": {"handlers": ["stderr"], "level": "ERROR"}},
    },
    SECRET_KEY="for a test",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    PLATFORM_NAME="A test",
    LTI_BASE=URL,
    LTI_API_BASE=URL,
    LMS_ROOT_URL=URL,
    USAGE_ID_PATTERN=r"(?P<usage_id>i4x://[^/]+)",
    USAGE_KEY_PATTERN=r"(?P<usage_key_string>i4x://[^/]+)",
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": "file:edx?mode=memory&cache=shared",
        }
    },
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "config_models",
        "lti_consumer.apps.LTIConsumerApp",
    ],
    MIDDLEWARE=["edx_django_utils.cache.middleware.RequestCacheMiddleware"],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
)
django.setup()

from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponseRedirect, JsonResponse
from django.urls import include, path
from lti_consumer import api
from lti_consumer.data import Lti1p3LaunchData
from lti_consumer.models import Lti1p3Passport, LtiAgsLineItem, LtiAgsScore, LtiConfiguration


def registered() -> Any:
    """Register the tool, with a line item for scores."""
    passport = Lti1p3Passport.objects.create(
        name="hotloop", lti_1p3_tool_keyset_url=f"{TOOL}/lti/jwks"
    )
    one = LtiConfiguration.objects.create(
        version=LtiConfiguration.LTI_1P3,
        config_store=LtiConfiguration.CONFIG_ON_DB,
        lti_1p3_passport=passport,
        lti_1p3_oidc_url=f"{TOOL}/lti/login",
        lti_1p3_launch_url=f"{TOOL}/lti/launch?module={MODULE}",
        lti_1p3_redirect_uris=[f"{TOOL}/lti/launch"],
        lti_advantage_ags_mode=LtiConfiguration.LTI_ADVANTAGE_AGS_PROGRAMMATIC,
    )
    LtiAgsLineItem.objects.create(lti_configuration=one, label=MODULE, score_maximum=100)
    return one


def registration(_request: HttpRequest) -> JsonResponse:
    passport = CONFIGURATION.lti_1p3_passport
    about = {
        "issuer": URL,
        "client_id": CONFIGURATION.lti_1p3_client_id,
        "deployments": ["1"],
        "login_url": f"{URL}/api/lti_consumer/v1/launch/",
        "jwks_url": f"{URL}/api/lti_consumer/v1/public_keysets/{passport.passport_id}",
        "token_url": f"{URL}/api/lti_consumer/v1/token/{passport.passport_id}",
    }
    return JsonResponse(about)


def begin(request: HttpRequest) -> HttpResponseRedirect:
    asked = request.GET
    launch = Lti1p3LaunchData(
        user_id=asked["user"],
        user_role=asked.get("role", "student"),
        config_id=CONFIGURATION.config_id,
        resource_link_id="link-7",
        external_user_id=asked["user"],
        name=asked.get("name"),
        email=asked.get("email"),
    )
    return HttpResponseRedirect(api.get_lti_1p3_launch_start_url(launch))


def score(request: HttpRequest) -> JsonResponse:
    rows = LtiAgsScore.objects.filter(user_id=request.GET["user"])
    return JsonResponse(
        {"scores": list(rows.values("score_given", "score_maximum", "comment", "grading_progress"))}
    )


urlpatterns = [
    path("registration", registration),
    path("begin", begin),
    path("score", score),
    path("api/", include("lti_consumer.plugin.urls")),
]

if __name__ == "__main__":
    from wsgiref.simple_server import make_server

    call_command("migrate", verbosity=0)
    CONFIGURATION = registered()
    server = make_server("127.0.0.1", int(PORT), get_wsgi_application())
    print(json.dumps({"listening": URL}), flush=True)
    server.serve_forever()
