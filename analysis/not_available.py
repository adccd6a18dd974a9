"""Why a table or a figure is not there."""


class NotAvailable(Exception):
    """The data do not hold what a table or figure needs; the message is the reason to show."""
