"""A JupyterHub for one class in one container, with the judge as a service of the hub.

Each learner is a user of the container's system with a home in /learners; the judge is another
user, whom the hub starts and starts again. Settings of your own, such as another authenticator, go
into /hub/own_config.py.
"""

import os
import pwd
import subprocess
from pathlib import Path

HOMES = Path(os.environ.get("HOTLOOP_HUB_HOMES", "/learners"))
FIRST = 10_000
"""No learner has a lower number."""

c = get_config()  # noqa: F821
load_subconfig(str(Path(__file__).with_name("hotloop_hub.py")))  # noqa: F821
log_in = c.Spawner.pre_spawn_hook


def add(name: str) -> None:
    """Make a learner a user of the system, with the number that owns their home already.

    PermissionError for a name that the system has for itself: nobody becomes root, or the judge.
    """
    home = HOMES / name
    owners = [path.stat().st_uid for path in HOMES.iterdir()]
    number = home.stat().st_uid if home.exists() else max([FIRST - 1, *owners]) + 1
    known = {user.pw_name: user for user in pwd.getpwall()}.get(name)
    if number < FIRST or (known is not None and known.pw_dir != str(home)):
        raise PermissionError(f"{name} is a user of the system")
    if known is None:
        new = ["useradd", "--uid", str(number), "--home-dir", str(home), "--create-home"]
        subprocess.run([*new, "--shell", "/bin/bash", "--key", "HOME_MODE=0700", name], check=True)


async def begin(spawner) -> None:
    """Before a learner's server starts."""
    add(spawner.user.name)
    await log_in(spawner)


c.JupyterHub.bind_url = "http://0.0.0.0:8000"
c.JupyterHub.db_url = "sqlite:////hub/jupyterhub.sqlite"
c.JupyterHub.cookie_secret_file = "/hub/cookie_secret"
# Who knows the password can take any name: enough to try it, and for a workshop.
c.JupyterHub.authenticator_class = "shared-password"
c.SharedPasswordAuthenticator.user_password = os.environ.get("HOTLOOP_HUB_PASSWORD", "")
c.Authenticator.allow_all = True
c.Authenticator.username_pattern = r"[a-z][a-z0-9-]{0,30}\Z"
c.Spawner.pre_spawn_hook = begin
c.Spawner.default_url = "/lab"
c.JupyterHub.services = [
    {
        "name": "hotloop",
        "command": ["hotloop", "course", "serve", "--host", "0.0.0.0", "--port", "8010"],
        "user": "grader",
        "cwd": "/service",
        "environment": {
            "HOTLOOP_SERVE_PROXY": os.environ.get("HOTLOOP_SERVE_PROXY", ""),
            "HOTLOOP_SERVE_URL": os.environ["HOTLOOP_SERVE_URL"],
        },
    }
]
if Path("/hub/own_config.py").exists():
    load_subconfig("/hub/own_config.py")  # noqa: F821
