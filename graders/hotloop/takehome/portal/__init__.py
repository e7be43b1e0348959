"""The web pages of a take-home: the team's, behind a login, and one for each candidate, behind a
link that nobody can guess.

The team's folder holds everything that matters: packs, submissions, reports, names, audit log. The
portal's database holds what is the portal's own: accounts, sessions, links, and the queue, which is
found again from the folder after any accident.
"""
