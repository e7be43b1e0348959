"""How records are shown: words, notebook cards, tables, pictures and profiles."""
