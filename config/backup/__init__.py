"""Backups: one file with the database and the files that belong to it.

`archive` is the file; `sqlite` and `postgresql` copy a database and replace it; `placing` puts
restored files in place so that a killed restore leaves everything old or everything new.
`dashboard/management/backups.py` composes them.
"""
