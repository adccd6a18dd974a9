"""A whole study by API, as a script and as a notebook."""
