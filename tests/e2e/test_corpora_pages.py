"""A corpus becomes a study in a browser: imported, filtered, drawn from, answered by models and
loaded by a worker; axe-core finds nothing, and no page is wider than a phone.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.corpus import raw_corpora
from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.test_judge_pages import is_too_wide, log_in, open_everything
from tests.servers.faulty_judge import faulty_judge
from tests.servers.judge_faults import Plan

pytestmark = pytest.mark.embedded  # what a browser makes of pages
GENERATION = """\
template: "About them: {context}\\nThey say: {prompt}\\nYou answer:"
sampling: {max_tokens: 60}
conditions: {plain: {}, brief: {system: Answer in one sentence.}}
models:
  - {name: Alder, endpoint: one, served_as: alder, price: {input: 1, output: 2}}
  - {name: Birch, endpoint: one, served_as: birch}
reference: {model: People, condition: human}
budget: {requests: 50}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("corpora")
    with (
        faulty_judge(Plan()) as server,
        running_installation(
            folder / "site",
            JUDGE_ENDPOINTS="one",
            JUDGE_ONE_BASE_URL=server.base_url,
            JUDGE_ONE_MODEL="own",
        ) as running,
    ):
        yield running


def objections(page: Page) -> list[str]:
    """What axe objects to, with everything opened; that it is too wide on a phone."""
    open_everything(page)
    found = in_both_schemes(page)
    page.set_viewport_size({"width": 390, "height": 800})
    found += ["too wide"] * is_too_wide(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    return found


def test_a_corpus_becomes_a_study(
    site: Installation, new_page: Callable[..., Page], tmp_path: Path
) -> None:
    page, found = new_page(), {}

    def look(name: str) -> None:
        found[name] = objections(page)

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).click()

    log_in(site, page)
    page.get_by_role("link", name="Corpora").click()
    raw_corpora.tide(tmp_path, 30)
    page.get_by_label("Name of the corpus").fill("talks")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "tide.jsonl")
    press("Import")  # a preset is missing
    expect(page.get_by_text("tide.jsonl: column 'prompt' is unknown")).to_be_visible()
    look("refused")
    page.get_by_label("Name of the corpus").fill("talks")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "tide.jsonl")
    page.get_by_label("Preset").select_option("tide")
    press("Import")
    page.get_by_role("link", name="talks").click()
    press("Filter")
    expect(page.get_by_role("heading", name="Removed by step")).to_be_visible()
    page.get_by_label("Name of the sample").fill("six")
    page.get_by_label("Scenarios at random").fill("2")
    press("Draw scenarios")
    expect(page.get_by_role("link", name="six")).to_be_visible()
    press("Write chats")
    expect(page.get_by_role("link", name="train.jsonl")).to_be_visible()
    look("corpus")
    page.goto(f"{site.url}/corpora/")
    look("corpora")

    page.goto(f"{site.url}/samples/six/")
    page.get_by_label("or its text").fill(GENERATION.replace("{prompt}", "{promt}"))
    press("Show texts and cost")
    expect(page.get_by_role("alert")).to_contain_text("field 'promt' is unknown")
    expect(page.get_by_role("alert")).to_be_in_viewport()
    look("bad file")
    page.get_by_label("or its text").fill(GENERATION)
    press("Show texts and cost")
    expect(page.get_by_text("8 texts would be asked for")).to_be_visible()
    look("plan")
    press("Generate")
    press("Write responses.csv")
    expect(page.get_by_role("link", name="responses.csv")).to_be_visible()
    press("Load as a draft")
    expect(page.get_by_text("six@1 is a draft.")).to_be_visible()
    look("sample")
    page.get_by_role("link", name="six@1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Empathy in answers")
    assert found == {name: [] for name in found}
