"""How the tests of a probe ask: an endpoint of a small server, a typed key, what recorded engines answer."""

from core.keys import SessionKeys
from core.plan import Endpoint
from core.probe import ProbeResult, probe
from tests.core.answering_server import RECORDINGS, AnsweringServer, paced, recording, reply

MODELS, CHAT = "GET /v1/models", "POST /v1/chat/completions"
SECRET = "sk-hostile-4711-test"


def endpoint(server: AnsweringServer | str, **kwargs) -> Endpoint:
    base_url = server if isinstance(server, str) else server.base_url
    return Endpoint(name="lab", base_url=base_url, **kwargs)


def typed_key(target: Endpoint, value: str = SECRET) -> SessionKeys:
    session = SessionKeys()
    session.keep(target, value)
    return session


def probed(answers: dict, *, key: str | None = None, **kwargs) -> ProbeResult:
    with AnsweringServer(answers) as server:
        target = endpoint(server)
        session = typed_key(target, key) if key else None
        return probe(target, session=session, **({"budget_s": 4.0} | kwargs))


def recorded(engine: str) -> dict:
    """What an engine answers, from its recordings."""
    pages = {"/v1/models": "models", "/version": "version", "/props": "props", "/health": "health", "/": "root"}
    answers = {
        f"GET {path}": recording(f"{engine}_{name}")
        for path, name in pages.items()
        if (RECORDINGS / f"{engine}_{name}.http").exists()
    }
    return answers | {CHAT: paced(f"{engine}_chat_usage")}


FASTLLM_ROW = {"id": "smollm2", "object": "model", "owned_by": "fastllm", "context_window": 2048}
FASTLLM_MODELS = reply(
    200,
    {
        "object": "list",
        "data": [FASTLLM_ROW | {"base_instructions": "x" * 60_000}],
        "models": [{"id": "smollm2", "slug": "smollm2"}],
    },
)
