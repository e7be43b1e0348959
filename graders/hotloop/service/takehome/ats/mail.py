"""Sends a candidate their link by mail."""

from __future__ import annotations

import smtplib
from email.headerregistry import Address
from email.message import EmailMessage

from hotloop.service.takehome.ats.settings import Mail
from hotloop.takehome.role import TakehomeRole

TIMEOUT_S = 20.0

_TEXT = """\
Hello,

here is the exercise "{title}":

{link}

The page says what is asked, how long it takes, what may be used, and what happens with your data.
Reading it does not start your time. The link is yours alone.

Questions: {contact}
"""


class NotSent(Exception):
    """The mail was not sent. The text is one sentence."""


def send(settings: Mail, role: TakehomeRole, to: str, link: str) -> None:
    """Send the link. Raises NotSent."""
    try:
        message = EmailMessage()
        message["From"] = settings.sender
        message["To"] = Address(addr_spec=to)
        message["Subject"] = role.title
        message["Reply-To"] = role.contact if "@" in role.contact else settings.sender
        message.set_content(
            _TEXT.format(title=role.title, link=link, contact=role.contact), cte="8bit"
        )
        with smtplib.SMTP(settings.host, settings.port, timeout=TIMEOUT_S) as server:
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls()
            if settings.user:
                server.login(settings.user, settings.password)
            server.send_message(message)
    except (OSError, smtplib.SMTPException, ValueError) as error:
        # The address is a person's: it is not repeated.
        raise NotSent(f"The mail was not sent ({type(error).__name__}).") from None
