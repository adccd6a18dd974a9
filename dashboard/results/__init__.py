"""Results: tables and figures, question by question."""
