"""Numbers, machines, names and addresses: values worked out by hand."""

from __future__ import annotations

import pytest

from mnemo_lab.privacy import checks
from tests.privacy.examples import found


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("mail a.b+c@example.co.uk, please", "email", "a.b+c@example.co.uk"),
        ("邮箱zhang_san@163.com。", "email", "zhang_san@163.com"),
        ("call (202) 555-0143 now", "phone", "(202) 555-0143"),
        ("call +1 202-555-0143 now", "phone", "+1 202-555-0143"),
        ("UK 07700 900123", "phone", "07700 900123"),
        ("手机13800138000，谢谢", "phone", "13800138000"),
        ("手机 138 0013 8000", "phone", "138 0013 8000"),
        ("电话１３８００１３８０００", "phone", "１３８００１３８０００"),
        ("座机 010-12345678", "phone", "010-12345678"),
        ("身份证号110101199003070003", "id_number", "110101199003070003"),
        ("111: 440305 19950715 000X", "id_number", "440305 19950715 000X"),
        ("SSN 078-05-1120", "id_number", "078-05-1120"),
        ("passport no. X12345678", "id_number", "X12345678"),
        ("护照 E12345678", "id_number", "E12345678"),
        ("香港身份证 A123456(3)", "id_number", "A123456(3)"),
        ("card 4111 1111 1111 1111 ok", "bank_card", "4111 1111 1111 1111"),
        ("卡号6222020000000001230", "bank_card", "6222020000000001230"),
        ("IBAN DE89 3704 0044 0532 0130 00, thanks", "bank_account", "DE89 3704 0044 0532 0130 00"),
        ("to GB82WEST12345698765432", "bank_account", "GB82WEST12345698765432"),
        ("加微信fake_wx_8899", "account", "fake_wx_8899"),
        ("QQ：987650000", "account", "987650000"),
        ("cd /home/jwhitfield/projects", "account", "jwhitfield"),
        (r"C:\Users\amelia.h\Desktop", "account", "amelia.h"),
        ("ping 10.0.3.17", "ip", "10.0.3.17"),
        ("from 203.0.113.77 port 50122", "ip", "203.0.113.77"),
        ("see [2001:db8:85a3::8a2e:370:7334]:80", "ip", "2001:db8:85a3::8a2e:370:7334"),
        ("ssh db01.corp.internal", "host", "db01.corp.internal"),
        ("http://wiki.intra.acme.local:8080/x", "host", "wiki.intra.acme.local"),
        (
            "Ship to 742 Evergreen Terrace, Springfield, IL 62704 please",
            "address",
            "742 Evergreen Terrace, Springfield, IL 62704",
        ),
        ("寄到上海市浦东新区示例路100弄5号602室，谢谢", "address", "上海市浦东新区示例路100弄5号602室"),
        ("My name is Jonathan Whitfield and", "name", "Jonathan Whitfield"),
        ("Dear Ms. Okafor,\nthanks", "name", "Okafor"),
        ("Kind regards,\nTess", "name", "Tess"),
        ("I met Priya Raghunathan there", "name", "Priya Raghunathan"),
        ("我叫欧阳明轩，想改时间", "name", "欧阳明轩"),
        ("客户陈美玲投诉送货晚了", "name", "陈美玲"),
        ("收件人：李思琪", "name", "李思琪"),
    ],
)
def test_found(text: str, kind: str, value: str) -> None:
    assert found(text) == [(kind, value)]


@pytest.mark.parametrize(
    "text",
    [
        "git clone git@github.com:pallets/flask.git",
        "npm i @types/node@18.19.3 react@18.2.0",
        "image@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1",
        "110101199003070009 has a wrong check digit",
        "4111 1111 1111 1112 and 6222020000000001231 fail Luhn",
        "GB82WEST12345698765433 fails MOD 97",
        "000-12-3456, 666-12-3456 and 900-12-3456 were never issued",
        "order 13800138000, 订单号13900001111",
        "Unix time 1718031600, ms 1718031600000, 2024-06-10 15:00:00",
        "version 10.0.19045.4291, BIOS 1.2.3.4, section 4.2.1.3, Chrome/120.0.6099.109",
        "8.8.8.8, 127.0.0.1, 0.0.0.0, 255.255.255.0, localhost:8000",
        "std::vector, a::b, dead::beef, 12:30:45",
        "threading.local, com.acme.internal, settings.local.json, host.docker.internal",
        "/home/ubuntu/app, /home/runner/work, C:\\Users\\Public\\x, https://x.example/en/home/register/",
        "Newton's method, Dr. Pepper, Albert Einstein, I'm Canadian, Dear Sir or Madam,",
        "我叫外卖了，我是程序员，高兴、马上、周末，李白写诗",
        "北京市朝阳区有公园，3 号楼在施工，中山路很热闹",
        "pi is 3.14159265358979323846, +0.0158972536486215",
    ],
)
def test_left_alone(text: str) -> None:
    assert found(text) == []


def test_checksums_by_worked_examples() -> None:
    assert checks.luhn("79927398713") and not checks.luhn("79927398710")
    assert checks.chinese_id("11010519491231002X") and not checks.chinese_id("110105194912310021")
    assert not checks.chinese_id("110105194902300021"), "there is no 30 February"
    assert checks.iban("GB82WEST12345698765432") and not checks.iban("GB82WEST1234569876543")
    assert checks.hong_kong_id("A", "123456", "3") and not checks.hong_kong_id("A", "123456", "4")
    assert checks.bank_card("378282246310005") and not checks.bank_card("0000000000000000")


def test_names_in_lists_rows_and_repeats() -> None:
    assert found("attendees: Marcus Bell, Joanna Kim and Stefan Popescu; minutes") == [
        ("name", "Marcus Bell"),
        ("name", "Joanna Kim"),
        ("name", "Stefan Popescu"),
    ]
    assert found("Ivy Castellanos,ivy.c@example.com") == [("name", "Ivy Castellanos"), ("email", "ivy.c@example.com")]
    assert found("参会人员：朱琳、谢文博") == [("name", "朱琳"), ("name", "谢文博")]
    assert found("我叫周晓东。后来周晓东说") == [("name", "周晓东"), ("name", "周晓东")]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_language_alone(language: str) -> None:
    from mnemo_lab.privacy import Redactor

    text = "My name is Jonathan Whitfield. 我叫欧阳明轩。a@example.org"
    kept = {"en": "欧阳明轩", "zh": "Jonathan Whitfield"}[language]
    new = Redactor(language=language).redact(text).text  # type: ignore[arg-type]
    assert kept in new and "[NAME_1]" in new and "[EMAIL_1]" in new
