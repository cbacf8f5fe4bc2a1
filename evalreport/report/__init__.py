"""What a report says: sections, cards, tables, charts and notes, all words and rounding done."""
