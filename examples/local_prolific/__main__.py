"""`python -m examples.local_prolific [--port N] [--balance CENTS]`: serve until Ctrl-C."""

import argparse
import contextlib

from examples.local_prolific import TOKEN
from examples.local_prolific.server import LocalProlific


def main() -> None:
    parser = argparse.ArgumentParser(prog="examples.local_prolific", description=__doc__)
    parser.add_argument("--port", type=int, default=8010, help="0 takes a free one")
    parser.add_argument("--token", default=TOKEN, help=f"the account's token (default: {TOKEN})")
    parser.add_argument("--balance", type=int, default=1_000_000, help="in cents")
    given = parser.parse_args()
    with LocalProlific(given.port, token=given.token, balance=given.balance) as server:
        print(f"Studies        {server.url}/", flush=True)
        print(f"PROLIFIC_URL   {server.api_url}", flush=True)
        print(f"Token          {given.token}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()


if __name__ == "__main__":
    main()
