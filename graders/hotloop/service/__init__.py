"""A web application of two parts: judging for a class (`course`), and take-homes (`takehome`).

`app` makes it of the parts that the settings name: a school serves the one, a company the other,
and both can be served together. They share a database (`tables`), accounts and sessions, pages, and
what `web` has: the queue, rate limits, and the HTTP server.
"""
