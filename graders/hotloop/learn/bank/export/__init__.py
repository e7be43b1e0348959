"""The questions in other formats: Anki, QTI 1.2, GIFT, and a printable kit."""
