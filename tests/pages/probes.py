"""What a probe of an endpoint named lab might have found."""

from datetime import UTC, datetime

from core.probe import Check, CheckName, CheckState, ProbeResult, ProbeState
from core.records import TokenSource


def probed(state=ProbeState.READY, **values):
    given = {
        "endpoint_name": "lab",
        "base_url": "http://127.0.0.1:1/v1",
        "at": datetime.now(UTC),
        "duration_s": 0.1,
        "state": state,
        "checks": (Check(name=CheckName.MODELS, title="Models listed", state=CheckState.NO, detail="401"),),
        "engine": "vLLM",
        "engine_version": "0.32",
        "model": "qwen",
        "models": ("qwen", "other"),
        "streams": "yes",
        "usage": True,
        "token_source": TokenSource.USAGE,
        "first_token_s": 0.046,
        "what": "vLLM answers.",
    }
    return ProbeResult(**(given | values))
