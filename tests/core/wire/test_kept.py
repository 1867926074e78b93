"""Texts that grow: whole while there is room, cut and marked where there is none."""

from core.wire.kept import Kept, Room, whole


def test_pieces_are_joined():
    kept = Kept(Room(4))
    for piece in ("a", "", "bcd"):
        kept.write(piece)

    assert kept.text() == "abcd"


def test_what_finds_no_room_is_left_out_and_told_once():
    kept = Kept(Room(4))
    for piece in ("abc", "def", "g", "h"):
        kept.write(piece)

    assert kept.text() == "abcd…"


def test_texts_of_one_answer_share_their_room_and_only_what_was_cut_is_marked():
    room = Room(5)
    first, second, third = Kept(room), Kept(room), Kept(room)
    first.write("abc")
    second.write("defg")
    third.write("h")

    assert [kept.text() for kept in (first, second, third)] == ["abc", "de…", "…"]


def test_without_room_nothing_is_kept_and_nothing_marked():
    kept = Kept(Room(0))
    kept.write("abc")

    assert kept.text() == ""


def test_text_that_is_whole_stays_as_it_is():
    assert whole("naïve 🚀") == "naïve 🚀"
    assert whole("\ud83d\ude80\ud83d") == "🚀\ufffd"


def test_a_character_cut_in_half_by_the_bound_is_replaced():
    kept = Kept(Room(2))
    kept.write("a\ud83d\ude80")

    assert kept.text() == "a\ufffd…"
