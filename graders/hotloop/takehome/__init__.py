"""Take-home exercises: packs for candidates, submissions, and reports on them.

A team hires for a *role* (`takehome.yaml`). Each *candidate* is identified by a pseudonym, gets one
*pack* (a zip with a *variant* of the module of their own) and hands in one *submission*.
"""
