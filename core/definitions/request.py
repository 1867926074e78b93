"""The terms of a single request. Texts only: the formulas in code are those of core.metrics."""

from core.definitions.spec import MetricSpec
from core.words import say

REQUEST_TERMS = (
    MetricSpec(
        key="ttft_s",
        title="TTFT",
        long=say("time to first token"),
        unit="s",
        definition=say(
            "From the first byte of the request being written to the arrival of the first chunk with output in any "
            "channel: answer, thinking or tool call."
        ),
        formula=say("first chunk − sent"),
        caution=say(
            "Role-only and empty deltas do not count. It holds the wait in the server's queue, the prefill and the "
            "network, which cannot be told apart from outside. A request that was not streamed has none."
        ),
        better="lower",
        others=say(
            "vLLM and evalscope count the first delta even if it is empty; inference-perf ignored thinking for long."
        ),
        group="request",
    ),
    MetricSpec(
        key="ttfa_s",
        title="TTFA",
        long=say("time to first answer"),
        unit="s",
        definition=say("From sent to the arrival of the first chunk of answer text; thinking does not count."),
        formula=say("first chunk of answer text − sent"),
        caution=say("For a thinking model this is what a reader waits; it depends on how long the model thinks."),
        better="lower",
        others=say("aiperf, guidellm: TTFO, time to first output token."),
        group="request",
    ),
    MetricSpec(
        key="tpot_s",
        title="TPOT",
        long=say("time per output token"),
        unit="s",
        definition=say("The time from the first chunk to the last, per token after the first."),
        formula=say("(last chunk − first chunk) / (output tokens − 1)"),
        caution=say(
            "Needs two tokens and two chunks, and a token count: without one it does not exist. One value a request, "
            "so a stall inside a stream is averaged away: look at the chunk gaps for that."
        ),
        better="lower",
        others=say("vLLM and sglang mean the same; guidellm's own TPOT includes the time to first token."),
        group="request",
    ),
    MetricSpec(
        key="itl_s",
        title="ITL",
        long=say("inter-token latency"),
        unit="s",
        definition=say(
            "The chunk gaps of requests whose chunks are tokens (token count and number of chunks differ by one at "
            "most), pooled over the run."
        ),
        formula=say("chunk gaps where |output tokens − chunks| ≤ 1"),
        caution=say(
            "Shown only if at least 95 % of the run's requests qualify, over those, with the share printed. Otherwise "
            "only the chunk gap is shown, under its own name."
        ),
        better="lower",
        others=say("guidellm and aiperf call TPOT “ITL”; vLLM's ITL is a chunk gap; llmperf's includes TTFT."),
        group="request",
    ),
    MetricSpec(
        key="gap_s",
        title=say("Chunk gap"),
        unit="s",
        definition=say("The time between two consecutive chunks of one answer, pooled over the run."),
        formula=say("chunk − chunk before"),
        caution=say(
            "A chunk may hold several tokens or a part of one, so two servers' gaps compare only if their chunks are "
            "alike. Chunks that share one read of the socket have a gap of 0."
        ),
        better="lower",
        others=say("vLLM, sglang, evalscope: ITL; aiperf: ICL, inter chunk latency."),
        group="request",
    ),
    MetricSpec(
        key="e2e_s",
        title=say("E2E latency"),
        unit="s",
        definition=say("From sent to the last chunk with output."),
        formula=say("last chunk − sent"),
        caution=say(
            "The trailing usage event and [DONE] do not count. For an answer that was not streamed it runs to the end "
            "of the body, and is marked. It grows with the answer's length: compare only equal lengths."
        ),
        better="lower",
        others=say("sglang and guidellm run to the end of the stream."),
        group="request",
    ),
    MetricSpec(
        key="decode_tps",
        title=say("Decode speed"),
        unit="tokens/s",
        definition=say("Tokens per second of one stream once it has begun, as a reader sees it."),
        formula="1 / TPOT",
        caution=say("It belongs to one stream, never to the whole system."),
        better="higher",
        others=say("InferenceX: interactivity; elsewhere tokens/s/user."),
        group="request",
    ),
    MetricSpec(
        key="e2e_tps",
        title=say("End-to-end speed"),
        unit="tokens/s",
        definition=say("Output tokens of one request by its whole latency."),
        formula=say("output tokens / E2E latency"),
        caution=say("The wait for the first token is inside, so short answers look slow."),
        better="higher",
        others=say("What simple scripts print as “tokens/s” and many articles call generation speed."),
        group="request",
    ),
    MetricSpec(
        key="slip_s",
        title=say("Slip"),
        unit="s",
        definition=say("How much later than scheduled the client sent the request: its own delay, never hidden."),
        formula=say("sent − scheduled"),
        caution=say("Open loop only. A large slip says that the client, not the server, was late."),
        better="lower",
        others=say("vLLM: client_queue_time."),
        group="request",
    ),
    MetricSpec(
        key="scheduled_ttft_s",
        title=say("TTFT from schedule"),
        unit="s",
        definition=say(
            "From the moment at which the load shape says the request should leave to the first chunk with output in "
            "any channel: what somebody waits who came at that moment."
        ),
        formula=say("first chunk − scheduled = TTFT + slip"),
        caution=say(
            "Open loop only. Stands beside the TTFT from the send: where a cap in flight or a late client held a "
            "request back, only this one shows the wait (coordinated omission)."
        ),
        better="lower",
        group="request",
    ),
    MetricSpec(
        key="scheduled_e2e_s",
        title=say("E2E from schedule"),
        unit="s",
        definition=say("From the moment at which the request should leave to its last chunk."),
        formula=say("last chunk − scheduled = E2E latency + slip"),
        caution=say("Open loop only."),
        better="lower",
        group="request",
    ),
    MetricSpec(
        key="connect_s",
        title=say("Connect"),
        unit="s",
        definition=say("TCP and TLS set-up of the connection used, where it was opened for this request."),
        caution=say("Not part of TTFT; recorded apart."),
        better="lower",
        others=say("Most tools fold it into TTFT."),
        group="request",
    ),
    MetricSpec(
        key="input_tokens",
        title="ISL",
        long=say("input length"),
        unit="tokens",
        definition=say("Tokens of the prompt, as the server counted them."),
        caution=say(
            "It may differ from the length asked for, which has the chat template and the system prompt in it; more "
            "than 2 % apart is a finding, and the run page shows both."
        ),
        group="request",
    ),
    MetricSpec(
        key="output_tokens",
        title="OSL",
        long=say("output length"),
        unit="tokens",
        definition=say("Tokens of the answer: the server's count (usage), else unknown."),
        caution=say("Never the number of chunks. Thinking tokens are inside."),
        group="request",
    ),
    MetricSpec(
        key="chunk_us",
        title=say("Chunk"),
        definition=say("One event of the stream with output in any channel: answer, thinking or tool call."),
        caution=say("It may hold several tokens or a part of one."),
        others=say("aiperf speaks of inter chunk latency; vLLM's ITL is a chunk gap."),
        group="request",
    ),
    MetricSpec(
        key="sent_s",
        title=say("Sent"),
        unit="s",
        definition=say("The clock read just before the request's first byte is written."),
        caution=say("A point in time: it counts from the run's start, on the monotonic clock."),
        group="request",
    ),
    MetricSpec(
        key="scheduled_s",
        title=say("Scheduled"),
        unit="s",
        definition=say("When the load shape says that the request should leave; open loop only."),
        others=say("aiperf: credit drop."),
        group="request",
    ),
    MetricSpec(
        key="prefill_s",
        title=say("Prefill and decode"),
        unit="s",
        definition=say("The server's two phases: reading the prompt, and writing the answer token by token."),
        caution=say(
            "Seen from outside only as TTFT and TPOT. A number is called prefill time only if the server reported it."
        ),
        group="request",
    ),
    MetricSpec(
        key="cached_tokens",
        title=say("Cached tokens"),
        unit="tokens",
        definition=say("Prompt tokens that the server says it took from its prefix cache."),
        caution=say("Every prompt begins with a unique word unless the cache itself is measured."),
        group="request",
    ),
)
