"""Numbers and handles that only a word before them explains: words, what may stand between, what the value looks like.

A row of ``LABELLED`` is (kind, lower-case words of which one must stand near, pattern whose group is the value,
confidence); one of ``HANDLES`` (Latin words or other strings of which one must stand in the text, pattern, confidence).
"""

from __future__ import annotations

import re
from typing import Final

_END: Final = r"(?![A-Za-z0-9_]|[-./][0-9])"
_SEP: Final = (
    r"[\"']?(?:\s{0,3}(?:[:：=#是为]|is|are|no\.?|number|号码|号)){0,3}[;；,，]?\s{0,3}(?:(?:it's|its|it is"
    r"|是)\s)?[\"']?"
)
_PHONE_WORDS: Final = (
    r"(?:phone|mobile|cell|tel|telephone|whatsapp|text me(?: at| on)?|call me(?: at| on)?|reach me at|contact number"
    r"|my number|fax|电话|手机|座机|传真|联系方式|联系号码|热线)"
)
_BY_LABEL: Final = (
    (
        "phone",
        (
            "phone",
            "mobile",
            "cell",
            "tel",
            "whatsapp",
            "text me",
            "call me",
            "reach me",
            "number",
            "fax",
            "电话",
            "手机",
            "座机",
            "传真",
            "联系",
        ),
        rf"(?i:{_PHONE_WORDS}){_SEP}(\+?\(?\d(?:[-. ()]{{0,2}}\d){{7,14}}){_END}",
        0.86,
    ),
    ("id_number", ("passport", "护照"), rf"(?i:passport|护照){_SEP}([A-Z]{{0,2}}\d{{6,9}})(?![A-Za-z0-9])", 0.93),
    (
        "id_number",
        ("身份证", "证件", "idcard", "id_card"),
        r"(?:身份证|证件|(?i:id_?card))(?:号码?|是|为|[:：=\"'\s]){0,5}(\d{17}[\dXx]|\d{6} \d{8} \d{3}[\dXx]|\d{15})"
        r"(?![A-Za-z0-9])",
        0.96,
    ),
    (
        "id_number",
        ("身份证", "老证", "旧证"),
        r"(?:身份证|老证|旧证)[^\d\n，。]{0,8}(?:15位的?[:：]?\s?)?(\d{17}[\dXx]|\d{6} \d{8} \d{3}[\dXx]|\d{15})"
        r"(?![A-Za-z0-9])",
        0.95,
    ),
    (
        "id_number",
        ("通行证", "台胞证", "回乡证"),
        r"(?:通行证|台胞证|回乡证)(?:号码?|是|为|[:：\s]){0,4}([A-Z]{0,2}\d{8,10})(?![A-Za-z0-9])",
        0.93,
    ),
    (
        "id_number",
        ("军官证", "警官证", "士兵证"),
        r"(?:军官证|警官证|士兵证)(?:号码?|是|为|[:：\s]){0,4}([\u4e00-\u9fff]字第\d{5,10}号|\d{6,10})",
        0.9,
    ),
    (
        "id_number",
        ("licence", "license", "驾驶证", "驾照"),
        rf"(?i:driver'?s?'?s? licen[cs]e|driving licen[cs]e|驾驶证|驾照){_SEP}([A-Z]{{0,3}}\d{{6,18}}[A-Z0-9]{{0,4}})"
        r"(?![A-Za-z0-9])",
        0.9,
    ),
    (
        "id_number",
        ("ssn", "social security"),
        rf"(?i:ssn|social security(?: number| no\.?)?){_SEP}(\d{{3}}[- ]?\d\d[- ]?\d{{4}})(?![A-Za-z0-9-])",
        0.96,
    ),
    (
        "id_number",
        ("national insurance", "nino"),
        rf"(?i:national insurance(?: number| no\.?)?|nino){_SEP}([A-Z]{{2}}(?: ?\d\d){{3}} ?[A-D])"
        r"(?![A-Za-z0-9])",
        0.95,
    ),
    (
        "id_number",
        ("tax id", "tax number", "national id", "identity card", "id number", "itin"),
        rf"(?i:tax (?:id|number|no\.?)|national id|identity card|id number|itin){_SEP}("
        rf"(?=[A-Z]*\d)[A-Z0-9][A-Z0-9-]{{6,17}})(?![A-Za-z0-9])",
        0.85,
    ),
    (
        "bank_account",
        ("account", "acct", "a/c"),
        rf"(?i:(?:bank |checking |savings )?(?:account|acct|a/c)\.?(?: number| no\.?)){_SEP}(\d(?:[- ]?\d){{6,18}})"
        r"(?![A-Za-z0-9])",
        0.88,
    ),
    (
        "bank_account",
        ("账号", "账户", "帐号"),
        r"(?:对公|收款|银行|开户|汇款|公司)(?:账号|账户|帐号)(?:号码?|是|为|[:：\s]){0,4}(\d(?: ?\d){8,24})"
        r"(?![A-Za-z0-9])",
        0.88,
    ),
)
LABELLED: Final = tuple((kind, words, re.compile(pattern), sure) for kind, words, pattern, sure in _BY_LABEL)
_BY_HANDLE: Final = (
    (
        ("wechat", "weixin"),
        ("微信",),
        r"[微Ww](?:信(?:号|[iI][dD])?|(?i:echat|eixin)(?i: ?id)?)(?:\s?(?:[:：]|是|为|is)\s?|\s|(?<=[\u4e00-\u9fff]))"
        r"((?=[a-zA-Z]*[0-9_-])[A-Za-z][A-Za-z0-9_-]{5,19})(?![A-Za-z0-9_(.])",
        0.8,
    ),
    (("qq",), (), r"[Qq](?<![A-Za-z0-9][Qq])[Qq]号?(?:\s?(?:[:：]|是|为)\s?|\s)?([1-9]\d{5,10})(?![A-Za-z0-9@])", 0.9),
    (
        (),
        ("抖音", "小红书", "快手", "微博", "b站"),
        r"(?:抖音|小红书|快手|微博|[Bb]站)(?:号|ID|id)(?:\s?[:：是为]\s?|\s)?([A-Za-z0-9_.]{5,24})"
        r"(?![A-Za-z0-9_])",
        0.85,
    ),
    (
        ("telegram", "instagram", "twitter", "insta", "tiktok", "snapchat", "threads"),
        (),
        r"[TtIiSs](?i:elegram|nstagram|nsta|witter|iktok|napchat|hreads)(?i: handle| id| account| user(?:name)?)?"
        r"(?:\s?[:：]\s?|\sis\s|\s)(@[A-Za-z0-9_.]{3,30}[A-Za-z0-9_])",
        0.85,
    ),
    (("discord",), (), r"[Dd](?i:iscord)[^\n#]{0,20}?\s([A-Za-z0-9_.]{2,32}#\d{4})(?!\d)", 0.85),
    (
        ("home", "users"),
        (),
        r"[/\\](?<![A-Za-z0-9][/\\])(?:home/|Users/|(?<=:\\)\\?Users\\{1,2})"
        r"([A-Za-z0-9\u4e00-\u9fff][A-Za-z0-9._\u4e00-\u9fff-]{1,31})(?=[/\\])",
        0.85,
    ),
)
HANDLES: Final = tuple((words, signs, re.compile(pattern), sure) for words, signs, pattern, sure in _BY_HANDLE)
