"""Practice with the interview questions: the page that asks them, and the record that it keeps."""
