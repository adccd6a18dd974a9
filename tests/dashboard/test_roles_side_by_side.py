"""Two people act at the same moment: an owner is left, and a link lets in one."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.models import User
from django.db import connection

from dashboard.overview.invitations import InviteOptions, NotValid, accept, invite
from dashboard.overview.people import RoleRefused, set_role
from dashboard.shared.models import Membership
from dashboard.shared.roles import Role
from survey.models import Study
from tests.factories import make_study

pytestmark = [
    pytest.mark.writers_side_by_side,
    pytest.mark.django_db(transaction=True),
]
TIMES = 10


@pytest.fixture
def study() -> Study:
    return make_study()


@pytest.fixture
def people() -> list[User]:
    return [User.objects.create_user(name, is_staff=True) for name in ("ada", "bob")]


def test_two_owners_who_remove_each_other_leave_one(study: Study, people: list[User]) -> None:
    ada, bob = people

    def remove(author: User, other: User, start: Barrier) -> bool:
        try:
            start.wait()
            return set_role(study=study, user=other, role=None, author=author)
        except RoleRefused:
            return False
        finally:
            connection.close()

    for _ in range(TIMES):
        for user in people:
            set_role(study=study, user=user, role=Role.OWNER, author=None)
        start = Barrier(2, timeout=60)
        with ThreadPoolExecutor(2) as pool:
            done = [pool.submit(remove, *pair, start) for pair in ((ada, bob), (bob, ada))]
            assert sorted(each.result() for each in done) == [False, True]
        assert Membership.objects.filter(role=Role.OWNER).count() == 1


def test_a_link_that_two_open_lets_in_one(study: Study, people: list[User]) -> None:
    def join(link: str, user: User, start: Barrier) -> bool:
        try:
            start.wait()
            accept(link, user)
            return True
        except NotValid:
            return False
        finally:
            connection.close()

    for _ in range(TIMES):
        Membership.objects.all().delete()
        _, link = invite(study, InviteOptions(role=Role.VIEWER), people[0])
        start = Barrier(2, timeout=60)
        with ThreadPoolExecutor(2) as pool:
            done = [pool.submit(join, link, user, start) for user in people]
            assert sorted(each.result() for each in done) == [False, True]
        assert Membership.objects.count() == 1
