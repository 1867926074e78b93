"""Every word that people read passes here."""

from core import words


def test_values_are_put_into_their_places():
    assert words.say("{n:,} tokens", n=1234) == "1,234 tokens"


def test_a_text_without_values_is_taken_as_it_is():
    assert words.say('write {"key": 1}') == 'write {"key": 1}'


def test_another_language_is_a_table(monkeypatch):
    monkeypatch.setitem(words.TABLES, "de", {"{n} tokens": "{n} Token"})
    monkeypatch.setattr(words, "LANGUAGE", "de")

    assert words.say("{n} tokens", n=3) == "3 Token"
    assert words.say("unknown") == "unknown"


def test_somebody_elses_words_end_once():
    assert [words.ended(one) for one in ("It broke", "It broke.", "Why?", "")] == [
        "It broke.",
        "It broke.",
        "Why?",
        ".",
    ]
