"""Token budgets and server addresses."""

from __future__ import annotations

import pytest

from hermes.agents.models.budget import estimate_tokens, fit
from hermes.agents.models.host import server_url


@pytest.mark.parametrize(
    ("text", "tokens"),
    [  # as the tokenizer of Qwen 2.5 counts them
        ("The retry queue was removed because jobs ran twice.", 10),
        ("def estimate_tokens(text: str) -> int:\n    return 0\n", 15),
        ("2025-03-02 12:45:59", 19),
        ("重试队列已被删除", 6),
        ("-    retry_queue.push(job, retries=3)\n+    broker.retry(job)\n", 17),
    ],
)
def test_an_estimate_is_not_below_the_truth_and_not_far_above(text: str, tokens: int) -> None:
    assert tokens <= estimate_tokens(text) <= tokens * 2.5


def test_what_fits_is_left_alone() -> None:
    assert fit("short", 10).text == "short"
    assert fit("short", 10).left_out == 0


def test_what_does_not_fit_is_cut_on_a_line_and_says_how_much_is_missing() -> None:
    text = "".join(f"line {n} of the file\n" for n in range(100))
    fitted = fit(text, 60)
    assert estimate_tokens(fitted.text) <= 60
    assert fitted.text.startswith("line 0 of the file\nline 1 of the file\n")
    assert fitted.text.endswith(f"[… {fitted.left_out} more characters left out]")
    assert 0 < fitted.left_out < len(text)


def test_one_endless_line_is_cut_too() -> None:
    fitted = fit("word " * 5_000, 50)
    assert estimate_tokens(fitted.text) <= 50
    assert "left out" in fitted.text


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8000", "http://127.0.0.1:8000"),
        ("localhost", "http://localhost:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("::", "http://[::1]:11434"),
        ("http://box", "http://box:80"),
        ("https://box/ollama/", "https://box:443/ollama"),
        ("'box:9'", "http://box:9"),
        (":9", "http://127.0.0.1:9"),
    ],
)
def test_an_ollama_host_is_read_as_people_write_it(host: str, url: str) -> None:
    assert server_url(host) == url


@pytest.mark.parametrize("host", ["ftp://box", "box:port", "box:99999"])
def test_what_is_no_address_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="box"):
        server_url(host)
