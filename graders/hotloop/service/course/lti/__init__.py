"""LTI 1.3: learners come in by a link of their LMS, and their scores are sent back to it.

`platforms` lists the trusted LMS, `tool` validates launches, `scores` says what a learner's score
is, by the `points` of its tasks, `sending` sends those that are due, and `services` is how an LMS
is asked. Security and names are those of the 1EdTech Security Framework 1.0, LTI Core 1.3, and
Assignment and Grade Services 2.0. Needs the dependency group `lti`; without `lti.yaml` in the
service's folder, no module of this package that needs it is imported.
"""
