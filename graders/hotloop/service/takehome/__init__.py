"""The part for take-homes, a portal: pages for the team behind a login, and one page per candidate.

A candidate's page has an unguessable link. The team's folder holds all important data: packs,
submissions, reports, names, audit log. The portal's database holds accounts, sessions, links and
the queue, which can be rebuilt from the folder.
"""
