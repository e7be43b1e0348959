"""Interfaces for applicant tracking systems: Greenhouse, an API of our own, signed events.

An ATS knows the candidate's name. So it gets an id of its own and the candidate's link, but neither
pseudonym nor score until as many scorecards are filed as the role wants: otherwise a reviewer with
a look at the ATS would know whose work they read.
"""
