"""Sign-in problems in words, each with its own next step. Never calls one a matter of speed."""

from core.probing.circumstances import Circumstances, Diagnosis, Words
from core.probing.result import ProbeState
from core.probing.sign_in import SignIn, expiry
from core.records import Failure
from core.words import say


def _key_missing(failure: Failure, seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.KEY_MISSING,
        what=say("{status}: the server wants a key, and this endpoint names none.", status=failure.status),
        next_step=say(
            "Put it into .streamlit/secrets.toml, under [api_keys.NAME] with a value and with hosts = {hosts}, and "
            "choose that name with Edit, or type a key for this session there.",
            hosts=f'["{seen.host}"]',
        ),
    )


def _key_refused(failure: Failure, seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.KEY_REFUSED,
        what=say("{status}: the server does not accept this key.", status=failure.status),
        next_step=_renewal(seen),
    )


def _key_expired(failure: Failure, seen: Circumstances) -> Diagnosis:
    ended = None if seen.key is None else expiry(seen.key)
    when = say(" on {date:%d %b %Y, %H:%M} UTC", date=ended) if ended is not None else ""
    return Diagnosis(
        state=ProbeState.KEY_REFUSED,
        what=say("{status}: the key has expired{when}.", status=failure.status, when=when),
        next_step=say("Get a new one from whoever issues it. ") + _renewal(seen),
    )


def _forbidden(failure: Failure, seen: Circumstances) -> Diagnosis:
    if seen.key is None:
        step = say("It may want a key, or not allow the address of this machine: ask who runs it.")
        return Diagnosis(state=ProbeState.KEY_MISSING, what=say("403: the server refuses."), next_step=step)
    return Diagnosis(
        state=ProbeState.KEY_REFUSED,
        what=say("{status}: the server knows this key, and it is not allowed to do this.", status=failure.status),
        next_step=say("Ask for access to the model or project, or for this machine's address, or name another key."),
    )


def _exchange(failure: Failure, _seen: Circumstances) -> Diagnosis:
    return Diagnosis(
        state=ProbeState.KEY_REFUSED,
        what=say(
            "{status}: signing in failed, as the exchange for an access token was refused.", status=failure.status
        ),
        next_step=say(
            "Renew the credentials that the access token is made from (grant, client id or secret), then probe again. "
            "It has nothing to do with speed."
        ),
    )


def _login_page(_failure: Failure, seen: Circumstances) -> Diagnosis:
    state = ProbeState.KEY_MISSING if seen.key is None else ProbeState.KEY_REFUSED
    return Diagnosis(
        state=state,
        what=say("A sign-in page answers at {host} instead of the API.", host=seen.host),
        next_step=say("Use the address meant for programs, or a key that this gateway takes."),
    )


def _renewal(seen: Circumstances) -> str:
    return seen.key.renewal if seen.key is not None else ""


SIGN_IN_WORDS: dict[SignIn, Words] = {
    SignIn.MISSING: _key_missing, SignIn.REFUSED: _key_refused, SignIn.EXPIRED: _key_expired,
    SignIn.FORBIDDEN: _forbidden, SignIn.EXCHANGE: _exchange, SignIn.LOGIN_PAGE: _login_page,
}  # fmt: skip
