"""The questions in formats of other programs: Anki, QTI 1.2, GIFT, and a kit on paper."""
