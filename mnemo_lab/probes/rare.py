"""Rare wordings that two messages share: runs of Chinese characters, and pairs of English content words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mnemo_lab.probes.common import LIGHT, everyday
from mnemo_lab.probes.things import Mention, Thing
from mnemo_lab.text.key_terms import WORD
from mnemo_lab.text.language import CJK
from mnemo_lab.text.words import STOP, words

GRAM: Final = 3
MOST: Final = 8
"""Messages of the conversation that may have a wording which is still rare."""
HOLDING: Final = frozenset(
    "的了是不在我你他她它们这那就都也还和与及很吗呢吧啊哦嗯呀嘛把被给让会能要可以没有什么怎么一个两三四五六七八九十零百千万"
    "上下里中前后来去到说看想做用好对多少大小再又先才只最更太从为因所如果但而或每其之着过得地天年月日号今明昨您请谢该些跟常"
)
"""Characters that hold sentences together, and numerals: a wording with one of them inside is not a term."""
EVERYDAY: Final = frozenset(
    """知道 喜欢 提高 自己 继续 保持 联系 推荐 活动 发展 希望 觉得 感觉 建议 需要 应该 可能 时间
    事情 问题 方法 方式 计划 生活 工作 学习 朋友 开始 结束 准备 决定 帮助 分享 享受 尝试 参加
    选择 了解 认识 相信 记得 忘记 明白 同意 支持 注意 检查 确认 处理 解决 完成 使用 增加 减少
    改成 变成 成为 发现 发生 出现 存在 属于 包括 关于 根据 通过 由于 所以 但是 而且 或者 虽然
    然后 最后 首先 其次 非常 特别 比较 真的 其实 当然 已经 正在 一直 总是 经常 有时 马上 现在
    之前 以后 最近 以前 同时 平时 周末 晚上 早上 下午 上午 重要 简单 容易 困难 复杂 不同 相同
    主要 基本 具体 直接 正常 合适 有趣 开心 高兴 快乐 难过 压力 健康 安全 经验 经历 机会 能力
    水平 情况 结果 原因 目标 内容 部分 方面 地方 东西 人们 大家 家人 孩子 公司 学校 社会 文化
    世界 国家 城市 美食 电影 音乐 书籍 旅行 旅游 运动 天气 身体 心情 成功 努力 进步 坚持 放松
    休息 著名 品尝 数据 信息 系统 功能 用户 页面 文件 代码 测试 版本""".split()
)
"""Words of two characters that no conversation need introduce; a wording that holds one is not a term either."""
_RUN: Final = re.compile(f"[{CJK}]{{{GRAM},}}")
_IS_CJK: Final = re.compile(f"[{CJK}]")
_WORDS: Final = re.compile(rf"{WORD}+(?:['’-]{WORD}+)*")


class _Word(NamedTuple):
    stem: str
    surface: str
    start: int
    end: int


class Wordings:
    """What stands in two to ``MOST`` messages of a conversation."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update({*_bigrams(text)} | {gram for gram, _ in _grams(text)} | {key for key, _, _ in _pairs(text)})
        rare = (key for key, n in counts.items() if 2 <= n <= MOST)
        self._rare = frozenset(key for key in rare if not _IS_CJK.match(key) or _holds_together(key, counts))

    def mentions(self, text: str) -> Iterator[Mention]:
        """Chinese grams of the shortest length (``widen`` makes them whole), English pairs; they may overlap."""
        for gram, start in _grams(text):
            if gram in self._rare:
                yield Mention(Thing("cjk", gram), start, start + GRAM)
        for key, start, end in _pairs(text):
            if key in self._rare:
                yield Mention(Thing("phrase", key), start, end)


def _bigrams(text: str) -> Iterator[str]:
    for run in _RUN.findall(text):
        yield from (run[start : start + 2] for start in range(len(run) - 1))


def _holds_together(gram: str, counts: Counter[str]) -> bool:
    """Whether a gram is more than a word that also stands elsewhere, and a neighbour: ``跟财务`` is not."""
    return max(counts[gram[:-1]], counts[gram[1:]]) <= counts[gram] + 1


def _grams(text: str) -> Iterator[tuple[str, int]]:
    for run in _RUN.finditer(text):
        for start in range(run.start(), run.end() - GRAM + 1):
            gram = text[start : start + GRAM]
            if not HOLDING.intersection(gram):
                yield gram, start


def _pairs(text: str) -> Iterator[tuple[str, int, int]]:
    """Neighbouring content words as stems, at least one of them no everyday word."""
    before: _Word | None = None
    for found in _WORDS.finditer(text):
        here = _content_word(found)
        beside = here and before and text[before.end : here.start] == " "
        if here and before and beside and not (everyday(before.surface) and everyday(here.surface)):
            yield f"{before.stem} {here.stem}", before.start, here.end
        before = here


def _content_word(found: re.Match[str]) -> _Word | None:
    word = found[0].casefold()
    if len(word) < 3 or not word.replace("-", "").isalpha() or word in STOP or word in LIGHT:
        return None
    stems = words(word)
    return _Word(stems[0], word, found.start(), found.end()) if stems else None


def widen(here: str, mention: Mention, there: str, other: Mention) -> tuple[Mention, Mention]:
    """Two mentions of a Chinese wording, grown as long as both texts agree, without what only holds sentences."""
    left = right = 0
    while _same(here, mention.start - left - 1, there, other.start - left - 1):
        left += 1
    while _same(here, mention.end + right, there, other.end + right):
        right += 1
    while left and here[mention.start - left] in HOLDING:
        left -= 1
    while right and here[mention.end + right - 1] in HOLDING:
        right -= 1
    thing = Thing("cjk", here[mention.start - left : mention.end + right])
    return (
        Mention(thing, mention.start - left, mention.end + right),
        Mention(thing, other.start - left, other.end + right),
    )


def holds_everyday(wording: str) -> bool:
    """Whether two characters next to each other are an everyday word."""
    return any(wording[start : start + 2] in EVERYDAY for start in range(len(wording) - 1))


def _same(one: str, i: int, two: str, j: int) -> bool:
    return 0 <= i < len(one) and 0 <= j < len(two) and one[i] == two[j] and bool(_IS_CJK.match(one[i]))
