"""For a JupyterHub whose learners check with `hotloop course serve`, without an invitation each.

In jupyterhub_config.py: `load_subconfig("hotloop_hub.py")`. The hub runs on the service's machine,
or has the URL of its database in HOTLOOP_SERVE_DATABASE; HOTLOOP_SERVE_URL is the service's
address. The service takes over the hub's user names, whatever authenticator the hub uses.
"""

import asyncio
import json
import os
import subprocess
from urllib.request import Request, urlopen

SERVICE = os.environ["HOTLOOP_SERVE_URL"]
HOTLOOP = os.environ.get("HOTLOOP_SERVE_COMMAND", "hotloop")
FOLDER = os.environ.get("HOTLOOP_SERVE_FOLDER", "hotloop-service")


def token(name: str) -> str:
    """One of the service's for a user that the hub has signed in."""
    invite = [HOTLOOP, "course", "invite", name, "--folder", FOLDER, "--url", SERVICE, "--json"]
    done = subprocess.run(invite, check=True, capture_output=True)
    link = json.loads(done.stdout)["invited"][name]
    body = json.dumps({"invitation": link.rpartition("/")[2]}).encode()
    request = Request(f"{SERVICE}/api/login", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=30) as answer:
        return json.load(answer)["token"]


async def log_in(spawner) -> None:
    """Before a learner's server starts: `check` and `hotloop check` there ask the service."""
    found = await asyncio.to_thread(token, spawner.user.name)
    spawner.environment = {
        **spawner.environment,
        "HOTLOOP_SERVER": SERVICE,
        "HOTLOOP_TOKEN": found,
    }


c = get_config()  # noqa: F821
c.Spawner.pre_spawn_hook = log_in
