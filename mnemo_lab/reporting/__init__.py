"""What a run says: tables, pictures, a paragraph and a report. Loads nothing heavy at import."""
