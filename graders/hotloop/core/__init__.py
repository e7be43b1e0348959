"""Shared by all parts: verdicts, records, the wire protocol, pictures. Imports no other part."""
