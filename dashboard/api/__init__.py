"""The REST API: what the pages show and do, as JSON, by the same functions. A file for each room.

Callers are active staff, by token or session, each as far as their role goes: the settings say so
for every view.
"""
