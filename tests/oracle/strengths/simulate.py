"""Rankings, best and worst choices and pairs with ties, as CSV beside this file.

    python -m tests.oracle.strengths.simulate

`rankings.csv`: a row for each system that a rater ranked on a page, four of six systems.
`choices.csv`: a row for each system shown, with `choice`. `pairs.csv`: two systems `a` and `b` and
the `outcome`: a, b or tie.
"""

from pathlib import Path

import numpy as np
from pandas import DataFrame

HERE = Path(__file__).parent
STRENGTHS = np.array([0.9, 0.4, 0.1, 0.0, -0.5, -0.9])


def main() -> None:
    draw = np.random.default_rng(21)
    ranked, chosen, pairs = [], [], []
    for page in range(120):
        rater = page // 10
        shown = np.sort(draw.choice(6, 4, replace=False))
        order = shown[np.argsort(-(STRENGTHS[shown] + draw.gumbel(size=4)))]
        ranked += [(rater, page, int(system), place) for place, system in enumerate(order, start=1)]
        for system in shown:
            choice = {order[0]: "best", order[-1]: "worst"}.get(system, "")
            chosen.append((rater, page, int(system), choice))
    for number in range(300):
        a, b = draw.choice(6, 2, replace=False)
        gap = STRENGTHS[a] - STRENGTHS[b] + draw.logistic()
        pairs.append(
            (number // 25, int(a), int(b), "tie" if abs(gap) < 0.5 else "ab"[int(gap < 0)])
        )
    keys = ["rater", "page", "system"]
    DataFrame(ranked, columns=[*keys, "rank"]).to_csv(HERE / "rankings.csv", index=False)
    DataFrame(chosen, columns=[*keys, "choice"]).to_csv(HERE / "choices.csv", index=False)
    frame = DataFrame(pairs, columns=["rater", "a", "b", "outcome"])
    frame.to_csv(HERE / "pairs.csv", index=False)


if __name__ == "__main__":
    main()
