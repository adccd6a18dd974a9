"""An owner invites a colleague, who makes an account and a token; axe-core finds nothing."""

from collections.abc import Callable, Iterator

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.e2e.axe import in_both_schemes
from tests.e2e.installation import Installation, running_installation
from tests.e2e.studies import WAYS_IN
from tests.e2e.test_judge_pages import is_too_wide, log_in
from tests.survey import small_study

pytestmark = pytest.mark.embedded  # what a browser makes of pages
PASSWORD = "a long enough password"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("people")
    with running_installation(folder / "site", worker=False) as running:
        (folder / "study.yaml").write_text(small_study.YAML + WAYS_IN, encoding="utf-8")
        (folder / "responses.csv").write_text(small_study.CSV, encoding="utf-8")
        running.manage("load_study", folder)
        yield running


def test_colleague_joins_by_a_link_and_reads_by_a_token(
    site: Installation, new_page: Callable[..., Page]
) -> None:
    owner, found = new_page(), {}
    log_in(site, owner)
    owner.goto(f"{site.url}/studies/small/")
    owner.get_by_role("navigation", name="Pages").get_by_role("link", name="People").click()
    owner.get_by_label("Role:").select_option("Analyst")
    owner.get_by_label("Whom it is for").fill("Cleo")
    owner.get_by_role("button", name="Make a link").click()
    link = owner.get_by_label("Link for one analyst (Cleo)").input_value()
    found["link"] = in_both_schemes(owner)

    cleo = new_page(phone=True)
    cleo.goto(link)
    found["invitation"] = in_both_schemes(cleo)
    cleo.get_by_label("Username").fill("cleo")
    for label in ("Password:", "Password confirmation:"):
        cleo.get_by_label(label, exact=True).fill(PASSWORD)
    cleo.get_by_role("button", name="Create account and join").click()
    expect(cleo.get_by_role("status").first).to_contain_text("Your role in small is analyst.")
    expect(cleo.get_by_role("button", name="Open", exact=True)).to_have_count(0)
    expect(cleo.get_by_role("link", name="People")).to_have_count(0)

    cleo.get_by_role("link", name="API tokens").click()
    cleo.get_by_label("Name").fill("notebook")
    cleo.get_by_label("small").check()
    cleo.get_by_role("button", name="Create token").click()
    token = cleo.get_by_label("Token", exact=True).input_value()
    found["tokens"] = in_both_schemes(cleo)
    assert not is_too_wide(cleo)
    by_token = {"Authorization": f"Token {token}"}
    answer = requests.get(f"{site.url}/api/studies/", headers=by_token, timeout=30)
    assert [study["slug"] for study in answer.json()["results"]] == ["small"]
    cleo.goto(f"{site.url}/account/activity/")
    expect(cleo.get_by_text("API token created: notebook")).to_be_visible()
    found["activity"] = in_both_schemes(cleo)

    owner.goto(f"{site.url}/studies/small/people/")
    owner.get_by_label("Role of cleo").select_option("Viewer")
    found["people"] = in_both_schemes(owner)
    owner.get_by_role("button", name="Change role of cleo").click()
    expect(owner.get_by_role("status")).to_contain_text("cleo is now viewer of small.")
    owner.goto(f"{site.url}/studies/small/log/")
    owner.get_by_label("Person").select_option("cleo")
    owner.get_by_role("button", name="Show").click()
    expect(owner.get_by_text("Invitation accepted: analyst, no. 1")).to_be_visible()
    found["log"] = in_both_schemes(owner)
    owner.set_viewport_size({"width": 390, "height": 800})
    assert not is_too_wide(owner)
    cleo.goto(f"{site.url}/studies/small/people/")
    expect(cleo.get_by_role("alert")).to_contain_text("Only owners may give roles")
    found["refused"] = in_both_schemes(cleo)
    assert {name: one for name, one in found.items() if one} == {}
