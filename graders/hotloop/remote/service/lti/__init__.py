"""LTI 1.3: learners come in by a link of their LMS, and their scores go back to it.

`platforms` says which LMS are trusted, `tool` checks who a launch is from, `scores` sends. Security
and names are those of the 1EdTech Security Framework 1.0, LTI Core 1.3, and Assignment and Grade
Services 2.0. Needs the group `lti`; without `lti.yaml` in the service's folder nothing of it is
imported.
"""
