"""Two servers on this machine as people meet them: one that refuses every prompt, one behind TLS or a key."""

import ssl
from collections.abc import Iterator

from tests.core.answering_server import Answer, AnsweringServer, Asked, Part, models, reply
from tests.core.loadgen.scripted import CHUNKED, DONE, FINISH, chunk, event, usage

MODEL, WORDS = "guarded-model", ("one ", "two ", "three ", "four ", "five ", "six ")
PACE_S = 0.01  # a pace, not a wait: a stream is told from a whole answer by it


def refusing(status: int, message: str, *, model: str = "house-model", open_list: bool = True) -> AnsweringServer:
    """Lists one model and answers each prompt with the same refusal; without `open_list` the list is refused, too."""
    refusal = reply(status, {"error": {"message": message, "type": "invalid_request_error", "code": None}})
    return AnsweringServer({"*": refusal} | ({"GET /v1/models": models(model)} if open_list else {}))


def guarded(*, key: str | None = None, tls: ssl.SSLContext | None = None) -> AnsweringServer:
    """Streams a few words to whoever brings the key, None for none; speaks TLS with `tls`."""

    def admitted(answer: Answer) -> Answer:
        def answered(asked: Asked):
            if key is not None and asked.headers.get("authorization") != f"Bearer {key}":
                return reply(401, {"error": {"message": "Incorrect API key provided."}})
            return answer(asked) if callable(answer) else answer

        return answered

    answers: dict[str, Answer] = {
        "GET /v1/models": models(MODEL),
        "POST /v1/chat/completions": streamed,
        "*": reply(404, {"detail": "Not Found"}),
    }
    return AnsweringServer({asked: admitted(answer) for asked, answer in answers.items()}, tls=tls)


def streamed(_: Asked) -> Iterator[Part]:
    """The words, one event each."""
    yield CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    for word in WORDS:
        yield chunk(event(word))
        yield PACE_S
    yield chunk(FINISH) + chunk(usage(9, len(WORDS))) + chunk(DONE) + b"0\r\n\r\n"


def keys_sent(server: AnsweringServer) -> list[str | None]:
    """What came as a key with each request, None where none did."""
    return [asked.headers.get("authorization") for asked in server.asked]
