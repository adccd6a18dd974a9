"""What the API sends, and its description in the schema: a file for each room."""
