"""The API, room by room: right role, wrong role, bad input, effect."""
