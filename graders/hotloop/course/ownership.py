"""Which account has made a file in the exchange."""

import pwd
from os import stat_result


def account(status: stat_result) -> str:
    """Return the name of the account that owns a file."""
    try:
        return pwd.getpwuid(status.st_uid).pw_name
    except KeyError:
        return f"the account {status.st_uid}"
