"""Who counts, and why others do not: a flow of participants as CONSORT draws it.

K. F. Schulz, D. G. Altman & D. Moher (2010), CONSORT 2010 statement.
"""

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
from pandas import DataFrame

from analysis.catalogue.spec import FigureSpec
from analysis.figures.style import INK, as_text, fits_phone, wrapped
from analysis.not_available import NotAvailable
from analysis.quality_rules import DECISION, USUAL_LABELS, QualityRules, StepName
from survey.definition.labels import Labels

#: Pixels: of a line of text, above and below the lines of a box, and between boxes.
LINE, PADDING, GAP = 16, 8, 16
#: Where the boxes of those who stay and of those who leave begin and end.
STAY, LEAVE = (0.0, 0.4), (0.48, 1.0)
#: Characters in a line of them, on a phone.
STAY_WIDTH, LEAVE_WIDTH = 17, 23

#: What is said of raters excluded by a decision.
DECIDED = "by the researchers, each with a reason"


class Flow:
    """Boxes from the top down, in pixels; `y` is where the next one begins, below 0.

    Plotly checks all shapes of a figure whenever one is added, so they are collected first.
    """

    def __init__(self) -> None:
        self.shapes: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.y = 0.0

    def box(self, lines: list[str], ends: tuple[float, float], top: float) -> float:
        """A box with its lines of text; where it ends."""
        bottom = top - 2 * PADDING - LINE * len(lines)
        self.shape("rect", x0=ends[0], x1=ends[1], y0=bottom, y1=top)
        middle = {"x": sum(ends) / 2, "y": (top + bottom) / 2}
        self.annotations.append({"text": "<br>".join(lines), "showarrow": False, **middle})
        return bottom

    def shape(self, kind: str, **ends: float) -> None:
        self.shapes.append({"type": kind, "line": {"color": INK, "width": 1}, **ends})

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        ends = {"x": end[0], "y": end[1], "ax": start[0], "ay": start[1]}
        head = {"arrowhead": 2, "arrowwidth": 1, "arrowcolor": INK, "standoff": 0}
        self.annotations.append(
            {"text": "", "axref": "x", "ayref": "y", "showarrow": True, **ends, **head}
        )

    def stays(self, lines: list[str]) -> None:
        """Who is left, below who was before, with an arrow down to them."""
        middle = sum(STAY) / 2
        if self.y:
            self.arrow((middle, self.y), (middle, self.y - GAP))
            self.y -= GAP
        self.y = self.box(lines, STAY, self.y)

    def leaves(self, lines: list[str]) -> None:
        """Who goes, to the right of the line down."""
        top = self.y - GAP
        bottom = self.box(lines, LEAVE, top)
        middle, height = sum(STAY) / 2, (top + bottom) / 2
        self.shape("line", x0=middle, x1=middle, y0=self.y, y1=bottom)
        self.arrow((middle, height), (LEAVE[0], height))
        self.y = bottom


def consort_flow(
    steps: DataFrame,
    rules: QualityRules,
    not_entered: Mapping[str, int],
    labels: Labels = USUAL_LABELS,
) -> go.Figure:
    """Boxes of who is left after each step, and beside them who was excluded and why.

    `steps` is the table `funnel`, `not_entered` says how many never entered it and why not.
    `alone`, what a rule would exclude by itself, stands where it differs. Raises NotAvailable.
    """
    if steps.empty:
        raise NotAvailable("the study applies no quality rule")
    first = steps.iloc[0]
    entered = int(first["excluded"]) + int(first["remaining"])
    outside = {why: n for why, n in not_entered.items() if n}
    flow = Flow()
    if outside:
        flow.stays(_stay("arrived", entered + sum(outside.values())))
        flow.leaves(_leave("not in the analysis", sum(outside.values()), _counts(outside)))
    flow.stays(_stay("took part", entered))
    for step in steps.to_dict("records"):
        name: StepName = step["step"]
        excluded, alone = int(step["excluded"]), int(step["alone"])
        reason = DECIDED if name == DECISION else rules.rule(name).in_short()
        about = wrapped(reason, LEAVE_WIDTH)
        if alone != excluded:
            about.append(f"(by itself: {alone})")
        flow.leaves(_leave(labels.text("rules", name), excluded, about))
        last = name == steps["step"].iloc[-1]
        flow.stays(_stay("included" if last else "remaining", int(step["remaining"])))
    return _laid_out(flow)


def _stay(what: str, n: int) -> list[str]:
    return [*wrapped(what, STAY_WIDTH), f"<b>n = {n}</b>"]


def _leave(what: str, n: int, about: list[str]) -> list[str]:
    what_lines = map(as_text, wrapped(what, LEAVE_WIDTH))
    return [*what_lines, f"<b>n = {n}</b>", *map(as_text, about)]


def _counts(outside: Mapping[str, int]) -> list[str]:
    return [f"{why}: {n}" for why, n in outside.items()]


def _laid_out(flow: Flow) -> go.Figure:
    """The figure, where one unit upwards is one pixel, so boxes are as high as their text."""
    margin = 6
    # A trace for the axes to be there: everything shown is a shape or an annotation.
    figure = go.Figure(go.Scatter(x=[0], y=[0], opacity=0, hoverinfo="skip"))
    figure.update_layout(
        fits_phone(),
        height=-flow.y + 2 * margin,
        margin={"l": margin, "r": margin, "t": margin, "b": margin},
        showlegend=False,
        xaxis={"visible": False, "range": [-0.005, 1.005]},
        yaxis={"visible": False, "range": [flow.y, 0]},
        shapes=flow.shapes,
        annotations=flow.annotations,
    )
    return figure


CONSORT = FigureSpec(
    "consort", "From all participants to the included raters", "Participants", "funnel"
)
