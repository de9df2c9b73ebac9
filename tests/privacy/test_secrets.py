"""Keys by their form, secrets by what stands before them, and what only looks like one."""

from __future__ import annotations

import pytest

from tests.privacy.examples import filler, found, hexed

MARKED = [
    ("api_key", "sk-" + "proj-" + filler(48)),
    ("api_key", "sk-" + "ant-api03-" + filler(86) + "AA"),
    ("api_key", "AI" + "zaSy" + filler(33)),
    ("api_key", "AK" + "IAFAKE0000TEST0000"),
    ("api_key", "LT" + "AI5t" + filler(18)),
    ("token", "gh" + "p_" + filler(36)),
    ("token", "github" + "_pat_" + filler(82)),
    ("token", "gl" + "pat-" + filler(20)),
    ("token", "xo" + "xb-000000000000-" + filler(24)),
    ("token", "hf" + "_" + filler(34)),
    ("token", "np" + "m_" + filler(36)),
    ("api_key", "sk" + "_live_" + filler(24)),
    ("api_key", "SG" + "." + filler(22) + "." + filler(43)),
    ("token", "dop" + "_v1_" + hexed(64)),
    ("token", "12345678" + ":AA" + filler(33)),
    ("token", "hv" + "s." + filler(40)),
    ("api_key", "xkey" + "sib-" + hexed(64) + "-" + filler(16)),
    ("jwt", "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiJmYWtlIn0." + filler(43)),
]


@pytest.mark.parametrize(("kind", "key"), MARKED, ids=[key[:6] for _, key in MARKED])
@pytest.mark.parametrize("around", ["{}", "it is {} now", "KEY={}", '{{"k":"{}"}}', "密钥{}，过期了"])
def test_marked_keys_are_found_whole_wherever_they_stand(kind: str, key: str, around: str) -> None:
    assert found(around.format(key)) == [(kind, key)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("password: hunter2", "hunter2"),
        ('Password = "a b c d 1"', "a b c d 1"),
        ("passwd=Secr3t;Encrypt=yes", "Secr3t"),
        ("The password is Tr0ub4dor&3.", "Tr0ub4dor&3"),
        ('my password was "letmein", I changed it', "letmein"),
        ("--password=Abc123! --user bob", "Abc123!"),
        ("psql postgresql://me:p%40ss@db:5432/x", "p%40ss"),
        ("https://bob:a@b:c@example.com/", "a@b:c"),
        ("PGPASSWORD=xyz12345 psql -h db", "xyz12345"),
        ('{"dbPassword":"secret123"}', "secret123"),
        ("'password' => 'secret123',", "secret123"),
        ("/login?user=a&password=secret123&x=1", "secret123"),
        ("mysql -uroot -p123456 db", "123456"),
        ("redis-cli -a s3cretpw ping", "s3cretpw"),
        ("curl -u bob:hunter22 https://example.com", "hunter22"),
        ("密码是abc12345，记得改", "abc12345"),
        ("密码：Abc!2345。", "Abc!2345"),
        ("初始密码为888888", "888888"),
        ("密码改成了 newPass#1", "newPass#1"),
        ("账号admin密码admin123", "admin123"),
        ("口令：xinmima2024", "xinmima2024"),
    ],
)
def test_passwords(text: str, secret: str) -> None:
    assert found(text) == [("password", secret)]


@pytest.mark.parametrize(
    "text",
    [
        "password: str = Field(...)",
        "password: Optional[str] = None",
        'password = input("x")',
        "password = os.environ['DB_PASSWORD']",
        "login(user=user, password=password)",
        "DB_PASSWORD=${DB_PASSWORD}",
        "password: <your password here>",
        "password=changeme",
        "The password: it must be 12 chars",
        "Password: 8-20 characters",
        "reset your password: https://example.com/reset",
        "pass = 3, fail = 2",
        "compass=north1 bypass: a1b2c3",
        "密码长度：12位，密码(8-16位)，密码规则：至少8位",
        "密码：********",
        "token: xxxxxxxxxxxxxxxxxxxx",
        'api_key = settings.OPENAI_API_KEY_2024 or get_key("v1")',
        "token = tokens[index_2024_00]",
        "sk-learn-based-classification-model-v2",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "trace 4bf92f3577b34da6a3ce929d0e0e4736 id 550e8400-e29b-41d4-a716-446655440000",
        "https://user:password@example.com is the example",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert found(text) == []


def test_only_the_secret_part_of_a_command_goes() -> None:
    key = "sk-" + filler(40)
    text = f'curl -H "Authorization: Bearer {key}" https://api.example.com/v1/models'
    assert found(text) == [("api_key", key)]


def test_labelled_keys_need_a_machine_made_value() -> None:
    assert found(f"X-Api-Key: {hexed(40)}") == [("api_key", hexed(40))]
    assert found(f"refresh_token={filler(40)}") == [("token", filler(40))]
    assert found(f"把 client_secret 换成 {filler(40)} 之后") == [("api_key", filler(40))]
    assert found("token: the word after it") == []


def test_an_aws_secret_is_known_by_the_key_before_it() -> None:
    key, secret = "AK" + "IAFAKE2222TEST3333", filler(20) + "+" + filler(10) + "/" + filler(8)
    assert found(f"keys {key} / {secret} leaked") == [("api_key", key), ("api_key", secret)]


def block(kind: str) -> str:
    return f"-----BEGIN {kind}PRIVATE KEY-----\n{filler(64)}\n{filler(30)}==\n-----END {kind}PRIVATE KEY-----"


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_private_key_blocks(kind: str) -> None:
    assert found(f"here:\n{block(kind)}\nthanks") == [("private_key", block(kind))]


def test_a_private_key_cut_short_ends_with_its_base64() -> None:
    cut = block("").partition("\n-----END")[0]
    assert found(f"{cut}\n... the rest is missing") == [("private_key", cut)]


def test_a_password_given_away_once_is_found_again() -> None:
    assert found("password: Sunflower!42, yes Sunflower!42 and not Sunflower!421") == [
        ("password", "Sunflower!42"),
        ("password", "Sunflower!42"),
    ]
