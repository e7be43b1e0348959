"""Practice with the interview questions: what is kept of it, when a question returns, a session."""
