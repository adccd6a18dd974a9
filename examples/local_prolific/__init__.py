"""A Prolific on this machine: `python -m examples.local_prolific`. Nobody is paid.

It speaks the part of Prolific's API that Fivefold uses, misbehaves on request, sends simulated
participants to a study's address, and keeps a ledger of every payment.
"""

#: Of its one account, unless another is given.
TOKEN = "local-prolific-token"
