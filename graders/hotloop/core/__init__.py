"""What every part speaks: verdicts, records, the wire, the clock. It imports nothing of ours."""
