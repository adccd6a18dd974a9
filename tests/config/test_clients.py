"""Where requests come from, with a proxy of ours in front and without one."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from config.clients import client_address, counted_address, is_of_this_machine

HERE = "192.0.2.1"


def asked(address: str, forwarded: str) -> str | None:
    request = RequestFactory().get("/", headers={"X-Forwarded-For": forwarded})
    request.META["REMOTE_ADDR"] = address
    return client_address(request)


def test_address_is_the_last_that_the_proxy_names(settings: Settings) -> None:
    settings.BEHIND_PROXY = True
    assert asked("172.18.0.5", "203.0.113.9, 192.0.2.1") == HERE
    assert asked("172.18.0.5", "2001:DB8::1") == "2001:db8::1"
    assert asked("172.18.0.5", "nonsense\0") is None


def test_address_without_a_proxy_is_not_what_the_client_says(settings: Settings) -> None:
    settings.BEHIND_PROXY = False
    assert asked(HERE, "203.0.113.9") == HERE
    assert asked("", "203.0.113.9") is None


def test_ipv6_is_counted_by_network_and_ipv4_by_address(settings: Settings) -> None:
    settings.BEHIND_PROXY = False
    for address, counted in (
        (HERE, HERE),
        (f"::ffff:{HERE}", HERE),  # the same, by a socket of both kinds
        ("2001:db8::1:2:3:4", "2001:db8::"),
        ("", None),
    ):
        request = RequestFactory().get("/", REMOTE_ADDR=address)
        assert counted_address(request) == counted


@pytest.mark.parametrize(
    ("address", "is_here"),
    [("127.0.0.1", True), ("::1", True), ("::ffff:127.0.0.1", True), (HERE, False), ("", False)],
)
def test_this_machine_is_known(settings: Settings, address: str, is_here: bool) -> None:
    settings.BEHIND_PROXY = False
    assert is_of_this_machine(RequestFactory().get("/", REMOTE_ADDR=address)) == is_here
