from __future__ import annotations

import pytest

from mnemo_lab.text.language import cjk_share, language_of


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        ([], "en"), ([""], "en"), (["1234 … !"], "en"), (["Hello there"], "en"), (["今天讨论了部署方案"], "zh"),
        (["Please run the deployment script 部署 before you leave today"], "en"),
        (["用 Docker 部署 API 服务"], "zh"), (["Hello", "你好吗，我们明天见"], "zh"),
        (["日本語です"], "zh"), (["Été à Zürich"], "en"),
    ],
)  # fmt: skip
def test_language(texts: list[str], language: str) -> None:
    assert language_of(texts) == language


def test_share_counts_characters_against_words() -> None:
    assert cjk_share(["部署 one two"]) == 0.5
    assert cjk_share(["部署 one", "two 3 4"]) == 0.5
    assert cjk_share(["3 4 …"]) == 0.0
    assert cjk_share(["𠮷 one"]) == 0.5
    assert language_of(["部部部 one two three four five six seven"]) == "zh", "30 % is enough"
    assert language_of(["部部 one two three four five six"]) == "en"
