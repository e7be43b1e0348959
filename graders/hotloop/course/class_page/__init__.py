"""The class page: an overview of a course for its instructors."""
