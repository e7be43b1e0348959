"""Shared by all parts: verdicts, records, the wire protocol, the clock. Imports no other part."""
