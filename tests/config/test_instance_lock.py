"""What `serve` chose counts for other shells while it runs, and no longer."""

from pathlib import Path

import pytest

from config.instance_lock import AlreadyServed, chosen_by_serve, claimed

CHOSEN = {"SITE_URL": "http://localhost:8123"}


def test_choice_is_read_while_somebody_serves(tmp_path: Path) -> None:
    file = tmp_path / "new" / "serve.env"
    assert chosen_by_serve(file) == {}
    with claimed(file, CHOSEN):
        assert chosen_by_serve(file) == CHOSEN
    assert chosen_by_serve(file) == {}


def test_what_a_killed_serve_left_behind_is_not_believed(tmp_path: Path) -> None:
    file = tmp_path / "serve.env"
    file.write_text("SITE_URL=http://localhost:8123\n")
    assert chosen_by_serve(file) == {}


def test_a_folder_is_served_once(tmp_path: Path) -> None:
    file = tmp_path / "serve.env"
    with claimed(file, CHOSEN):
        with pytest.raises(AlreadyServed) as refused, claimed(file, {"SITE_URL": "elsewhere"}):
            pass
        assert refused.value.address == "http://localhost:8123"
        assert chosen_by_serve(file) == CHOSEN
