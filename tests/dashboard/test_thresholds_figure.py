"""σ against MAE as a drawing: everybody once, limits where they are, and who moves on top."""

import re

from analysis.quality_rules import SigmaMae
from dashboard.raters.thresholds_figure import SIGNS, SigmaMaeFigure, sigma_mae_figure

IN_FORCE = SigmaMae(sigma_below=0.6, mae_above=0.9)


NOT_KNOWN = float("nan")
Place = tuple[float, float]


def drawn(
    people: list[Place], tried: SigmaMae = IN_FORCE, **kinds: list[int]
) -> SigmaMaeFigure | None:
    """Raters by σ and MAE, and which of them (from 0) are what."""
    of = {place: kind for kind, places in kinds.items() for place in places}
    return sigma_mae_figure(
        [sigma for sigma, _ in people],
        [mae for _, mae in people],
        [of.get(place, "") for place in range(len(people))],
        in_force=IN_FORCE,
        tried=tried,
    )


def test_each_kind_is_one_path_of_its_sign_and_the_same_place_is_drawn_once() -> None:
    people = [(0.0, 2.0), (1.0, 1.0), (1.0, 1.0), (0.5, 1.5)]
    figure = drawn(people, kept=[1, 2], excluded=[0], leaving=[3])
    assert figure
    layers = {layer.kind: layer for layer in figure.layers}
    assert list(layers) == list(SIGNS)  # who moves lies on top
    assert {kind: layer.n for kind, layer in layers.items()} == {
        "kept": 2,
        "excluded": 1,
        "joining": 0,
        "leaving": 1,
    }
    assert layers["kept"].path.count("M") == 1
    assert layers["leaving"].path.endswith(SIGNS["leaving"])
    assert len(set(SIGNS.values())) == len(SIGNS)  # nobody is told apart by a colour alone
    assert layers["joining"].path == ""


def test_places_follow_the_numbers_inside_the_axes() -> None:
    people = [(0.0, 0.0), (0.5, 0.0), (1.0, 2.0)]
    figure = drawn(people, kept=[0, 1, 2])
    assert figure
    (path,) = [layer.path for layer in figure.layers if layer.n]
    places = [(int(x), int(y)) for x, y in re.findall(r"M(\d+) (\d+)", path)]
    assert places[0] == (figure.left, figure.bottom)
    assert figure.left < places[1][0] < places[2][0] <= figure.right
    assert figure.top <= places[2][1] < places[0][1]
    tick = {each.text: each.at for each in figure.x_ticks}
    assert abs(tick["1"] - places[2][0]) <= 1


def test_limits_stand_at_their_values_and_beyond_the_axis_at_its_end() -> None:
    people = [(1.2, 1.2)]
    figure = drawn(people, SigmaMae(sigma_below=99, mae_above=0), kept=[0])
    assert figure
    assert figure.has_moved
    tick = {each.text: each.at for each in figure.x_ticks}
    assert figure.left < figure.in_force.sigma < tick["1"]
    assert (figure.tried.sigma, figure.tried.mae) == (figure.right, figure.bottom)
    assert not (drawn(people, kept=[0]) or figure).has_moved


def test_who_lacks_a_number_is_counted_and_who_never_entered_is_not() -> None:
    people = [(1.0, 1.0), (NOT_KNOWN, 1.0), (0.0, 3.0)]
    figure = drawn(people, kept=[0, 1])
    assert figure
    assert figure.n_undrawn == 1
    assert sum(layer.n for layer in figure.layers) == 1


def test_nobody_with_both_numbers_is_no_figure_and_all_zero_is_one() -> None:
    assert drawn([(NOT_KNOWN, NOT_KNOWN)], kept=[0]) is None
    figure = drawn([(0.0, 0.0)], kept=[0])
    assert figure
    assert figure.x_ticks[0].text == "0"
