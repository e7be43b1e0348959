"""What was found about submissions, and what was decided about them: stored once, never changed."""
