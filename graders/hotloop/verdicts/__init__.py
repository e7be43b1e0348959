"""Shows records to people: words, tables, pictures and profiles of verdicts."""
