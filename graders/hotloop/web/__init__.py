"""What the take-home portal and the judging service have in common: accounts, sessions, limits of
rates and bodies, headers, a database by its URL, processes that are kept running.

`site.Site` is what requests are served with; portal and service each add what is theirs.
"""
