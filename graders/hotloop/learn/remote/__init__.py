"""The client of a judging service, over HTTP or ssh."""
