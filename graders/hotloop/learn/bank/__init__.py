"""The interview questions: their format, translations, proofs and exports."""
