"""Recognising a block by its texts, as they come back from a page."""

from survey.simulated.content import BlockTexts, Content, Text
from tests.survey import small_study


def content(*blocks: BlockTexts) -> Content:
    return Content(small_study.definition(), version=1, blocks=blocks)


def block(scenario: str, *texts: tuple[str, str], prompt: str = "Why?") -> BlockTexts:
    return BlockTexts(
        scenario, "1", prompt, tuple(Text(model, "plain", text) for model, text in texts)
    )


def recognised(study: Content, responses: dict[str, str], page: str = "") -> object:
    found = study.recognise(responses, on_page=lambda: page)
    return found and (found[0].scenario, {name: text.model for name, text in found[1].items()})


def test_block_is_recognised_in_any_order() -> None:
    study = content(block("S1", ("Ant", "Yes."), ("Bee", "No.")), block("S2", ("Ant", "Hm.")))
    assert recognised(study, {"x": "No.", "y": "Yes."}) == ("S1", {"x": "Bee", "y": "Ant"})


def test_text_is_recognised_however_it_is_rendered() -> None:
    study = content(block("S1", ("Ant", "It's **fine**,\r\nreally – “yes”!")))
    rendered = "\n  It’s fine, really –   &quot;yes&quot;!".replace("&quot;", '"')
    assert recognised(study, {"x": rendered}) == ("S1", {"x": "Ant"})


def test_same_text_of_two_systems_goes_to_each_once() -> None:
    study = content(block("S1", ("Ant", "Yes."), ("Bee", "Yes.")))
    assert recognised(study, {"x": "Yes.", "y": "Yes."}) == ("S1", {"x": "Ant", "y": "Bee"})


def test_blocks_with_the_same_texts_are_told_apart_by_their_prompts() -> None:
    study = content(
        block("S1", ("Ant", "Sorry."), prompt="I failed."),
        block("S2", ("Ant", "Sorry."), prompt="I miss her."),
    )
    assert recognised(study, {"x": "Sorry."}, "Page 3 … I miss her. …") == ("S2", {"x": "Ant"})


def test_block_with_a_text_too_many_or_too_few_is_none_of_ours() -> None:
    study = content(block("S1", ("Ant", "Yes."), ("Bee", "No.")))
    assert recognised(study, {"x": "Yes."}) is None
    assert recognised(study, {"x": "Yes.", "y": "No.", "z": "Hm."}) is None
