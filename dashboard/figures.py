"""What the figures of an analysis are called, and where they stand. Pure."""

from typing import NamedTuple

from dashboard import agreement


class Drawn(NamedTuple):
    """A figure's title, its section of the report, and the page of the numbers that it shows."""

    title: str
    section: str
    page: str


FIGURES = {
    "consort": Drawn("From whoever came to the raters who are kept", "Participants", "raters"),
    "sigma_mae": Drawn("σ and MAE of every rater, with the thresholds", "Participants", "raters"),
    "sigma": Drawn("σ of the raters", "Participants", "raters"),
    "mae": Drawn("MAE of the raters", "Participants", "raters"),
    "durations": Drawn("Minutes that raters took", "Participants", "raters"),
    "shares": Drawn("How often each rating was given", "Systems", "results"),
    "ratings_kde": Drawn("How ratings are spread, by scenario, model and condition", "Systems", ""),
    "systems_forest": Drawn("Means of the systems, with intervals", "Systems", "results"),
    "dimension_means": Drawn("Means on each dimension", "Systems", "results"),
    "dimension_radar": Drawn("Profiles over dimensions", "Systems", "results"),
    "contrasts_forest": Drawn("Condition a against b, with intervals", "Contrasts", "results"),
    "region_map": Drawn("Mean ratings by region", "Groups of raters", "results"),
    "best_worst_shares": Drawn("Best and worst by scenario", "Rankings and choices", "results"),
}
OF_JUDGES = {name: Drawn(title, "Judges", "agreement") for name, title in agreement.FIGURES.items()}
