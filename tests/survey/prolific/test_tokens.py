"""Prolific tokens are stored encrypted."""

import pytest

from survey.prolific.tokens import TokenLost, decrypted, encrypted


def test_token_comes_back_with_its_key_alone() -> None:
    stored = encrypted("a-token", key="the key")
    assert "a-token" not in stored
    assert decrypted(stored, key="the key") == "a-token"
    with pytest.raises(TokenLost):
        decrypted(stored, key="another key")
    with pytest.raises(TokenLost):
        decrypted("no stored token", key="the key")


def test_same_token_is_stored_differently_each_time() -> None:
    assert encrypted("a-token", key="k") != encrypted("a-token", key="k")
