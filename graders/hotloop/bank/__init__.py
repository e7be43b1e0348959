"""The interview questions: their form, translations and proofs, and what is made of them."""
