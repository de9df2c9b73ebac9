"""Memories as tables: every value is there, and none is markup."""

from __future__ import annotations

from html.parser import HTMLParser

from mnemo_lab.memory.long_term import LongTermMemory
from mnemo_lab.memory.ranking import Ranked, Recalled
from mnemo_lab.memory.shown import MOST, items_html
from mnemo_lab.memory.stores import open_store
from tests.memory.stores.material import add, item


class Cells(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


ODD = item(
    "a", "<script>我</script> & co", subject="<b>计费</b>", attribute="库", valid_from="2026-02-03T10:00:00",
    valid_to="2026-05-01", confidence=0.5, status="outdated",
)  # fmt: skip
ROW = ["preference", "<b>计费</b>: 库", "<script>我</script> & co", "2026-02-03", "2026-05-01", "50%", "outdated"]


def test_items() -> None:
    found = Cells(items_html([ODD, item("b", "plain", attribute="")], "two <notes>"))
    assert found.rows[1] == ROW and found.rows[2][:5] == ["preference", "user", "plain", "2026-01-01", ""]
    assert found.tags == {"b", "table", "tr", "th", "td"}


def test_only_the_first_are_shown_and_the_rest_is_counted() -> None:
    html = items_html([item(f"i{n}", f"note {n}") for n in range(MOST + 3)], "many")
    assert len(Cells(html).rows) == MOST + 1 and "… and 3 more" in html
    assert "more" not in items_html([item(f"i{n}", "note") for n in range(MOST)], "many")


def test_what_was_found_and_what_was_hidden() -> None:
    ranked = Ranked((Recalled(ODD, 0.25, 0.5, 0.5, {}),), (Recalled(item("h", "x < y"), 0.1, 0.9, 0.1, {}),))
    html = ranked._repr_html_()
    assert Cells(html.partition("<p>")[0]).rows[1] == ["0.25", "0.50", "50%", *ROW]
    assert "hidden by decay: x &lt; y" in html
    assert "hidden" not in Ranked(ranked.hits, ())._repr_html_()


def test_a_memory_shows_what_it_holds() -> None:
    store = open_store(":memory:")
    add(store, item("a", "我喜欢茶"), item("b", "gone", status="forgotten"))
    html = LongTermMemory(store, "anna")._repr_html_()
    assert "anna: 1 memories" in html and "我喜欢茶" in html and "gone" not in html
