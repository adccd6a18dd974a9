"""E-mail to researchers about their studies."""
