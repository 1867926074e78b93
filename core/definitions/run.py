"""The terms of a run: one configuration at one load. Texts only: the formulas in code are those of core.summary."""

from core.definitions.spec import MetricSpec
from core.percentile import FOR_HIGH, FOR_P99
from core.words import say

RUN_TERMS = (
    MetricSpec(
        key="output_tokens_per_s",
        title=say("Output throughput"),
        unit="tokens/s",
        definition=say("Output tokens of all successful requests by the time of the run: the whole system."),
        formula=say("Σ output tokens of ok requests / (last end − first sent)"),
        caution=say("Not the speed of one stream. Unknown if a successful answer came without a token count."),
        better="higher",
        others=say("Often just “throughput” or “tokens/s”."),
        group="run",
    ),
    MetricSpec(
        key="total_tokens_per_s",
        title=say("Total throughput"),
        unit="tokens/s",
        definition=say("Input and output tokens of successful requests by the time of the run."),
        formula=say("Σ (input + output tokens) of ok requests / (last end − first sent)"),
        caution=say("Input tokens cost far less than output tokens: a long prompt makes this number large."),
        better="higher",
        group="run",
    ),
    MetricSpec(
        key="requests_per_s",
        title=say("Request throughput"),
        unit="1/s",
        definition=say("Successful requests by the time of the run."),
        formula=say("ok requests / (last end − first sent)"),
        caution=say("Compares only if the answers are equally long."),
        better="higher",
        group="run",
    ),
    MetricSpec(
        key="peak_output_tokens_per_s",
        title=say("Peak output"),
        unit="tokens/s",
        definition=say("Output tokens of the best second of the run; a request's tokens are spread over its chunks."),
        formula=say("max over all seconds of Σ tokens that arrived in it"),
        caution=say("A burst, not what the server keeps up. Never below the mean of the run."),
        better="higher",
        others=say("Some tools count chunks here, so that their peak lies below their mean."),
        group="run",
    ),
    MetricSpec(
        key="goodput_per_s",
        title=say("Goodput"),
        unit="1/s",
        definition=say("Successful requests that meet every limit of the SLO, by the time of the run."),
        formula=say("ok requests within all limits / (last end − first sent)"),
        caution=say("A failed request, or one whose metric is undefined, is not good. Token goodput counts tokens."),
        better="higher",
        group="run",
    ),
    MetricSpec(
        key="success_rate",
        title=say("Success rate"),
        unit="share",
        definition=say("The share of requests that were answered."),
        formula="ok / (ok + failed + empty)",
        caution=say("Cancelled and warm-up requests are in neither. Latencies are those of the ok requests only."),
        better="higher",
        group="run",
    ),
    MetricSpec(
        key="mean_in_flight",
        title=say("Concurrency"),
        definition=say(
            "Closed loop: requests kept in flight. What really happened is the mean number in flight over the run."
        ),
        formula=say("Σ (ended − sent) / (last end − first sent)"),
        caution=say("Below the level asked for while the last requests run out."),
        group="run",
    ),
    MetricSpec(
        key="offered_rate_per_s",
        title=say("Offered rate"),
        unit="1/s",
        definition=say("The rate of the drawn schedule; the nominal rate is shown too. Open loop only."),
        formula=say("(scheduled requests − 1) / (last scheduled − first scheduled)"),
        group="run",
    ),
    MetricSpec(
        key="achieved_rate_per_s",
        title=say("Achieved rate"),
        unit="1/s",
        definition=say("What was sent, per second of the sending window, whatever became of it."),
        formula=say("(sent requests − 1) / (last sent − first sent)"),
        caution=say("Stands beside the offered rate: a gap between them is the client's or the cap's doing."),
        group="run",
    ),
    MetricSpec(
        key="scaling_efficiency",
        title=say("Scaling efficiency"),
        unit="share",
        definition=say("How much of the throughput of one stream each further stream still adds."),
        formula=say("throughput at c / (c × throughput at 1)"),
        better="higher",
        group="run",
    ),
    MetricSpec(
        key="loop_lag_p99_s",
        title=say("Client lag"),
        unit="s",
        definition=say("How late the load generator's own loop was."),
        formula=say("p99 of (timer fired − timer due)"),
        caution=say(
            "A run is client-limited for TTFT if the lag's p99 is above 5 % of the TTFT median and above 1 ms; for "
            "gap percentiles above 25 % of the median gap; for TPOT above 1 % of the median decode span."
        ),
        better="lower",
        group="run",
    ),
    MetricSpec(
        key="loop",
        title=say("Closed and open loop"),
        definition=say(
            "Closed: the next request leaves when one returns. Open: it leaves when it is due, whatever came back."
        ),
        caution=say("A closed loop slows down with the server and so never shows an overload."),
        group="run",
    ),
    MetricSpec(
        key="burstiness",
        title=say("Burstiness"),
        definition=say("The shape k of gamma-distributed gaps between requests with mean 1/rate."),
        caution=say("1 is Poisson, below 1 burstier, infinity constant."),
        group="run",
    ),
    MetricSpec(
        key="coordinated_omission",
        title=say("Coordinated omission"),
        definition=say("Hiding a delay by sending late. Shown here as slip, never inside a latency."),
        caution=say("In an open loop every latency is also given from the scheduled time."),
        group="run",
    ),
    MetricSpec(
        key="warmup",
        title=say("Warm-up"),
        definition=say("Requests before the measured ones, with other prompts; kept, left out of every summary."),
        group="run",
    ),
    MetricSpec(
        key="steady_state",
        title=say("Steady state"),
        definition=say("An optional window: from the first moment of full concurrency to the last."),
        group="run",
    ),
    MetricSpec(
        key="percentile",
        title=say("Percentile"),
        definition=say("Linear interpolation over the pooled raw values of successful requests (numpy's default)."),
        formula=say("value at rank p × (count − 1)"),
        caution=say(
            "Never an average of percentiles. A p99 of fewer than {p99} values is grey, and any above p50 of fewer "
            "than {high}.",
            p99=FOR_P99,
            high=FOR_HIGH,
        ),
        group="run",
    ),
    MetricSpec(
        key="tutorial",
        title=say("What a tutorial script prints"),
        unit="tokens/s",
        definition=say("Chunks, or characters / 4, divided by the total time of a request."),
        formula=say("chunks / (ended − sent), or characters / 4 / (ended − sent)"),
        caution=say("The wait for the first token is inside, a chunk is not a token, and 4 characters are a guess."),
        group="run",
    ),
)
