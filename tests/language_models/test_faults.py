"""What can go wrong on the way, over real HTTP on loopback, alike for both SDKs."""

from __future__ import annotations

import socket
import threading
from email.utils import formatdate
from time import time

import pytest

from mnemo_lab.errors import InvalidInput
from mnemo_lab.language_models.base import Completion
from mnemo_lab.language_models.errors import BrokenAnswer, ContextTooLong, Declined, RateLimited, Refused, Unavailable
from mnemo_lab.language_models.retry import Retry
from tests.language_models.scripted import Reply, scripted
from tests.language_models.vendors import ANTHROPIC, ASK, KEY, OPENAI, Vendor

pytestmark = pytest.mark.parametrize("vendor", [OPENAI, ANTHROPIC], ids=lambda vendor: vendor.name)
SAID = Completion("under the mat", 12, 3, "stop", 8)
"""4 tokens read anew and 8 from the cache are 12 for both."""
EVENTS = "text/event-stream"


def refusal(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


def test_an_answer_with_its_usage(vendor: Vendor) -> None:
    slept: list[float] = []
    with scripted(Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert slept == [] and len(server.requests) == 1
    assert server.requests[0]["max_tokens"] == 50 and server.requests[0]["temperature"] == 0
    assert KEY in str(server.headers[0])


def test_a_stream_gives_its_parts_and_then_the_whole(vendor: Vendor) -> None:
    with scripted(Reply(vendor.stream, kind=EVENTS)) as server:
        assert list(vendor.model(server.url).stream(ASK, 50)) == ["under ", "the mat", SAID]
    assert server.requests[0]["stream"] is True


def test_too_many_requests_wait_as_long_as_the_vendor_says(vendor: Vendor) -> None:
    slept: list[float] = []
    with scripted(Reply(refusal("slow down"), 429, {"Retry-After": "7"}), Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert slept == [7 + 1.0], "and a little jitter"


def test_retry_after_may_be_a_date(vendor: Vendor) -> None:
    slept: list[float] = []
    at = formatdate(time() + 20, usegmt=True)
    with scripted(Reply(refusal("busy"), 503, {"Retry-After": at}), Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert 18 < slept[0] <= 21


def test_a_wait_of_hours_is_an_error_at_once(vendor: Vendor) -> None:
    slept: list[float] = []
    with (
        scripted(Reply(refusal("daily limit"), 429, {"Retry-After": "7200"})) as server,
        pytest.raises(RateLimited, match="daily limit") as caught,
    ):
        vendor.model(server.url, slept).chat(ASK, 50)
    assert slept == [] and caught.value.retry_after == 7200


def test_failures_of_the_server_are_asked_again_later_each_time(vendor: Vendor) -> None:
    slept: list[float] = []
    broken = Reply("oops", 500), Reply("", 502), Reply(refusal("overloaded", type="overloaded_error"), 529)
    with scripted(*broken, Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert slept == [1, 2, 4]


def test_a_server_that_always_fails_is_given_up_on(vendor: Vendor) -> None:
    slept: list[float] = []
    with scripted(Reply("oops", 500)) as server, pytest.raises(Unavailable, match=r"m at http.*\(status 500\): oops"):
        vendor.model(server.url, slept).chat(ASK, 50)
    assert slept == [1, 2, 4, 8] and len(server.requests) == 5


def test_silence_is_a_timeout(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_LLM_TIMEOUT", "1")
    slept: list[float] = []
    with scripted(Reply(vendor.answer, wait=30), Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert slept == [1]
    with scripted(Reply(vendor.answer, wait=30)) as server, pytest.raises(Unavailable, match="MNEMO_LLM_TIMEOUT"):
        model = vendor.model(server.url)
        model.retry = Retry(attempts=1)
        model.chat(ASK, 50)


def test_nobody_there(vendor: Vendor) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    slept: list[float] = []
    with pytest.raises(Unavailable, match=f"{vendor.name}:m at {url}.* cannot be reached .*refused"):
        vendor.model(url, slept).chat(ASK, 50)
    assert slept == [1, 2, 4, 8]


@pytest.mark.parametrize(
    "body",
    ["<html>a proxy's page</html>", "{", "[]", "7", "null", "{}", '{"choices": []}', '{"content": 7, "choices": 7}'],
)
def test_what_is_no_answer_is_asked_again(vendor: Vendor, body: str) -> None:
    slept: list[float] = []
    with scripted(Reply(body), Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert slept == [1]
    with scripted(Reply(body)) as server, pytest.raises(BrokenAnswer, match=r"sent no chat completion.*endpoint"):
        vendor.model(server.url).chat(ASK, 50)


def test_a_body_cut_short_is_asked_again(vendor: Vendor) -> None:
    slept: list[float] = []
    with scripted(Reply(vendor.answer, cut=True), Reply(vendor.answer)) as server:
        assert vendor.model(server.url, slept).chat(ASK, 50) == SAID
    assert slept == [1]


@pytest.mark.parametrize("cut", [False, True], ids=["ends early", "breaks"])
def test_a_stream_cut_in_the_middle_says_so(vendor: Vendor, cut: bool) -> None:
    given: list[object] = []
    with (
        scripted(Reply(vendor.cut, kind=EVENTS, cut=cut)) as server,
        pytest.raises(BrokenAnswer, match=r"broke off .*ask again"),
    ):
        given.extend(vendor.model(server.url).stream(ASK, 50))
    assert given == ["under "] and len(server.requests) == 1, "what was given cannot be taken back"


def test_a_stream_that_breaks_before_its_first_part_is_asked_again(vendor: Vendor) -> None:
    slept: list[float] = []
    replies = (
        Reply("", kind=EVENTS, cut=True),
        Reply("", kind=EVENTS),
        Reply("x", 500),
        Reply(vendor.stream, kind=EVENTS),
    )
    with scripted(*replies) as server:
        assert list(vendor.model(server.url, slept).stream(ASK, 50))[-1] == SAID
    assert slept == [1, 2, 4]


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (400, "must be changed"),
        (401, "check the key"),
        (402, "no credit"),
        (403, "may not use"),
        (404, "name and the endpoint"),
        (422, "must be changed"),
    ],
)
def test_what_will_never_work_is_asked_once(vendor: Vendor, status: int, says: str) -> None:
    slept: list[float] = []
    with (
        scripted(Reply(refusal(f"no: your key {KEY} is wrong"), status)) as server,
        pytest.raises(Refused, match=rf"{vendor.name}:m at .*\(status {status}\): no: .*{says}") as caught,
    ):
        vendor.model(server.url, slept).chat(ASK, 50)
    assert slept == [] and len(server.requests) == 1
    assert KEY not in str(caught.value) and caught.value.__cause__ is None


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("value", ["half \ud83d", object()], ids=["no unicode", "no json"])
def test_a_request_that_cannot_be_sent_is_no_fault_of_the_server(vendor: Vendor, value: object, stream: bool) -> None:
    slept: list[float] = []
    with scripted(Reply(vendor.answer)) as server:
        model = vendor.model(server.url, slept)
        model.model = value  # type: ignore[assignment]
        with pytest.raises(Refused, match=rf"{vendor.name}:m at .*cannot be sent .*change what is asked"):
            list(model.stream(ASK, 50)) if stream else model.chat(ASK, 50)
    assert slept == [] and server.requests == []


@pytest.mark.parametrize(
    "body", [refusal("no", code="content_filter"), refusal("it broke our Content Management Policy")]
)
def test_what_a_filter_stops_is_declined(vendor: Vendor, body: dict[str, object]) -> None:
    with scripted(Reply(body, 400)) as server, pytest.raises(Declined, match="status 400"):
        vendor.model(server.url).chat(ASK, 50)
    with scripted(Reply(refusal("no such field"), 400)) as server, pytest.raises(Refused) as caught:
        vendor.model(server.url).chat(ASK, 50)
    assert type(caught.value) is Refused


def test_a_used_up_quota_is_not_waited_for(vendor: Vendor) -> None:
    body = refusal("You exceeded your current quota, please check your plan", code="insufficient_quota")
    slept: list[float] = []
    with scripted(Reply(body, 429)) as server, pytest.raises(Refused, match="no credit left"):
        vendor.model(server.url, slept).chat(ASK, 50)
    assert slept == []


def test_too_long_a_prompt_is_known_by_its_words(vendor: Vendor) -> None:
    said = {
        "openai": "This model's maximum context length is 8192 tokens. However, you requested 10232 tokens.",
        "anthropic": "prompt is too long: 10232 tokens > 8192 maximum",
    }[vendor.name]
    with scripted(Reply(refusal(said), 400)) as server, pytest.raises(ContextTooLong, match="send less") as caught:
        vendor.model(server.url).chat(ASK, 50)
    assert (caught.value.limit, caught.value.asked, len(server.requests)) == (8192, 10232, 1)
    with scripted(Reply(refusal(said), 400)) as server, pytest.raises(ContextTooLong) as caught:
        list(vendor.model(server.url).stream(ASK, 50))
    assert caught.value.limit == 8192


def test_a_temperature_that_is_refused_is_left_out_from_then_on(vendor: Vendor) -> None:
    said = "`temperature` is deprecated for this model."
    with scripted(Reply(refusal(said), 400), Reply(vendor.answer)) as server:
        model = vendor.model(server.url)
        assert [model.chat(ASK, 50), model.chat(ASK, 50)] == [SAID, SAID]
    assert ["temperature" in request for request in server.requests] == [True, False, False]


def test_only_so_many_requests_at_once(vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MNEMO_LLM_CONCURRENCY", "2")
    answers: list[Completion] = []
    with scripted(Reply(vendor.answer, wait=0.3)) as server:
        models = [vendor.model(server.url), vendor.model(server.url)]  # the limit is the endpoint's, not the object's
        threads = [threading.Thread(target=lambda m=models[i % 2]: answers.append(m.chat(ASK, 50))) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [SAID] * 6 and server.most_open == 2


def test_a_key_is_needed_where_the_vendor_answers_only(vendor: Vendor) -> None:
    with pytest.raises(InvalidInput, match=f"{vendor.name}:m needs a key: set {vendor.name.upper()}_API_KEY"):
        vendor.made("m", None, None).chat(ASK, 5)
    with scripted(Reply(vendor.answer)) as server:
        assert vendor.model(server.url, key=None).chat(ASK, 50) == SAID
