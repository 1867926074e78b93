"""What a workload asks, in words: lengths as people read them, and nothing said of what is as usual."""

from core.workload import LengthPair, Spread, Workload
from core.workload_words import asked_words, exact_lengths, lengths_words, saved_words, text_words


def test_lengths_are_read_as_people_say_them():
    spread = Workload(
        input_tokens=1500, output_tokens=64,
        input_spread=Spread(shape="lognormal", low=16, high=8000, stdev=400.0),
        output_spread=Spread(shape="uniform", low=32, high=96),
    )  # fmt: skip

    assert lengths_words(Workload(input_tokens=1024, output_tokens=64)) == "1,024 → 64"
    assert lengths_words(spread) == "1,500 ± 400 (lognormal, 16 to 8,000) → 32 to 96"


def test_many_pairs_are_shortened_and_still_told_apart():
    pairs = tuple(LengthPair(input_tokens=100 + place, output_tokens=50) for place in range(40))
    other = (*pairs[:-1], LengthPair(input_tokens=1, output_tokens=50))
    one, two = (Workload(input_tokens=119, output_tokens=50, pairs=its) for its in (pairs, other))

    assert lengths_words(one) == "100 → 50, 101 → 50, 102 → 50 and 37 more (pairs, on average 119 → 50)"
    assert len(exact_lengths(one)) < 120
    assert exact_lengths(one) != exact_lengths(two)


def test_what_is_as_usual_is_not_told():
    assert asked_words(Workload()) == ""
    assert saved_words(Workload()) == ""
    assert saved_words(Workload(saved_name="chat", saved_version=2)) == "chat, version 2"
    told = asked_words(
        Workload(
            system_prompt="Be brief.", ignore_eos=True, stop=("END",), temperature=None, extra_body={"top_p": 0.9},
            stream=False, nonce=False, seed=3,
        )
    )  # fmt: skip
    assert told == (
        "system prompt, answers of exactly that length, stops at 'END', the server's own temperature, "
        "more in the body: top_p, not streamed, the same prompts in every run, seed 3"
    )


def test_a_long_text_is_cut_and_marked():
    assert text_words(None) == "none"
    assert text_words("Be brief.") == "“Be brief.”"
    long = text_words("word " * 100)
    assert "500 characters" in long
    assert long != text_words("word " * 99 + "work ")
