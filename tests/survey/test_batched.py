"""Items in batches."""

from survey.batched import batched


def test_batches_have_all_items_in_their_order() -> None:
    assert list(batched(range(7), 3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(batched(iter("abcd"), 2)) == [["a", "b"], ["c", "d"]]


def test_of_nothing_there_is_no_batch() -> None:
    assert list(batched([], 3)) == []
