"""Django's backend for PostgreSQL, with an end to every page's patience."""
