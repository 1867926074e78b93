"""A key that a server quotes goes no further."""

from core.loadgen.secrecy import Secrecy
from core.records import Failure, FailureKind, RequestRecord

SECRECY = Secrecy(("Authorization", "Bearer sk-geheim-123"))


def test_a_quoted_key_is_cut_out_of_every_text_of_a_record():
    record = RequestRecord(
        request_id="r", index=0, text="you sent sk-geheim-123", reasoning_text="Bearer sk-geheim-123",
        finish_reason="sk-geheim-123", failure=Failure(kind=FailureKind.HTTP_401, message="bad key sk-geheim-123!"),
    )  # fmt: skip
    cut = SECRECY.record(record)

    assert "geheim" not in repr(cut)
    assert cut.failure.message == "bad key …!"
    assert cut.text == "you sent …"


def test_it_is_cut_out_of_what_preflight_found():
    found = SECRECY.values({"failure_message": "no sk-geheim-123", "changes": ("sk-geheim-123",), "usage": True})

    assert found == {"failure_message": "no …", "changes": ["…"], "usage": True}


def test_without_a_key_nothing_changes():
    record = RequestRecord(request_id="r", index=0, text="as it was")

    assert Secrecy(None).record(record) is record


def test_a_value_too_short_to_be_a_key_cuts_no_words():
    assert Secrecy(("X-Key", "a")).text("a banana") == "a banana"


def test_a_key_in_another_case_is_cut_too():
    assert SECRECY.text("you sent SK-GEHEIM-123") == "you sent …"


def test_a_key_cut_off_by_a_clipped_sentence_is_cut_too():
    assert SECRECY.text("x" * 40 + " Bearer sk-geheim-1…") == "x" * 40 + " …"
    assert SECRECY.text("ends with sk-gehei") == "ends with …"
    assert SECRECY.text("no key, only sk") == "no key, only sk"


def test_a_key_is_found_in_the_midst_of_a_long_text_of_any_letters():
    long = "好的 tok " * 20_000

    assert SECRECY.text(f"{long}Sk-Geheim-123{long}") == f"{long}…{long}"
    assert SECRECY.text(long) is long
