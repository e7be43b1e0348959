"""Code shared by the take-home portal and the judging service.

It has accounts, sessions, limits on rates and bodies, headers, a database chosen by URL, and
supervised processes. `site.Site` holds what requests are served with; portal and service extend it.
"""
