"""Take-home exercises: packs for candidates, what comes back, and the report on it.

A team hires for a *role* (`takehome.yaml`). Each *candidate* is known by a pseudonym only, gets one
*pack* (a zip whose *variant* of the module is theirs alone) and hands in one *submission*.
"""
