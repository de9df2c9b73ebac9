"""Secrets told in sentences, and sentences that only speak of secrets: the whole kind as tables."""

from __future__ import annotations

import time

import pytest

from mnemo_lab.memory.guard import SecretFilter
from mnemo_lab.privacy import find_sensitive
from tests.privacy.examples import found

PASSWORDS = ["Tr0ub4dor&3", "hunter-Fake-77!", "plum_tart99", "9xQ#aa"]
ENGLISH = """my password is: {}
my password is {}
The password is {}.
the db password's {}
the db password’s {}
password = {}
password for the db = {}
password: {}
my wifi password is now {}
login password for staging is {}
the password for the old staging box is {}, don't lose it
the password to get into the router was {}
password (staging): {}
the admin password has been changed to {}
the admin password should be {}
I set the password to {}
we changed the root password to {} yesterday
please reset my password to: {}
password is "{}"
password is '{}'
the password is `{}`
the password is **{}**
the password is “{}”
the passphrase is {}
passphrase for the vault: {}
the passcode is {}
pw is {}
pwd for bob: {}
use password {} for staging
log in with the password {} and restart
{} is the staging password
the password we use is {}
the password is as follows: {}
login for staging is deploy / {}
creds: deploy / {}
The password -> {}
the password - {}
and the password
is {}""".replace("password\nis", "password is").splitlines()
CHINESE = """密码是：{}
密码是{}
密码是 {}，别外传
密码：{}
密码为{}
登录密码是 {}
数据库密码改成 {}
数据库密码改成了{}
数据库的密码已经换成 {} 了
口令是{}
口令为：{}
口令：{}
口令换成 {}
口令现在是 {}
密码现在改为{}
密码统一设为 {}
密码先用 {}
密码给你：{}
密码如下：{}
密码（测试环境）：{}
密码在测试环境是 {}
密码是“{}”
密码是「{}」
密码是 `{}`
用密码 {} 登录
把管理员密码重置为{}
解锁码是 {}
passphrase 是 {}
password 是 {}""".splitlines()


@pytest.mark.parametrize("secret", PASSWORDS)
@pytest.mark.parametrize("said", ENGLISH + CHINESE)
def test_passwords_told(said: str, secret: str) -> None:
    assert found(said.format(secret)) == [("password", secret)]


KEY = "kx82hhq199za"
TOKENS = """use token {} for staging|token
the token is {}|token
token for staging: {}|token
the auth token's {}|token
my access token is now {}|token
API key: {}|api_key
my API key is {}|api_key
the api key for staging is: {}|api_key
the key is {}|api_key
the key is: "{}"|api_key
use the key {} for now|api_key
the client secret is {}|api_key
we rotated the secret key to {}|api_key
the license key is {}.|api_key
{} is the API key|api_key
密钥是 {}|api_key
密钥：{}|api_key
密钥改成{}|api_key
密钥已经换成 {} 了|api_key
秘钥为{}|api_key
API key 是 {}|api_key
key 是 {}|api_key
令牌是 {}|token
token 是 {}，只给预发用|token
token 换成了{}|token""".splitlines()


@pytest.mark.parametrize("line", TOKENS)
def test_keys_and_tokens_told(line: str) -> None:
    said, kind = line.rsplit("|", 1)
    assert found(said.format(KEY)) == [(kind, KEY)]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("PIN is 4821", "4821"),
        ("my PIN is 4821.", "4821"),
        ("the PIN code for the alarm is 482193", "482193"),
        ("pin: 4821", "4821"),
        ("use PIN 4821 at the door", "4821"),
        ("the password is 4821", "4821"),
        ("the passcode's 4821", "4821"),
        ("密码是 4821", "4821"),
        ("口令是 4821，别忘了", "4821"),
        ("PIN 码是 4821", "4821"),
        ("PIN码：4821", "4821"),
        ("my password is: sunflowerfield", "sunflowerfield"),
        ("the passphrase is: correct horse battery staple", "correct horse battery staple"),
        ('the passphrase is "correct horse battery staple"', "correct horse battery staple"),
        ("the password is correct-horse-battery", "correct-horse-battery"),
        ("口令是“芝麻开门”", "芝麻开门"),
        ("密码我设的是 Plum-tart-77", "Plum-tart-77"),
    ],
)
def test_numbers_words_and_phrases(text: str, secret: str) -> None:
    assert found(text) == [("password", secret)]


@pytest.mark.parametrize(
    "text", ["I changed the password from {} to {}", "password changed from {} to {}", "密码从 {} 改成 {} 了"]
)
def test_the_old_one_goes_too(text: str) -> None:
    assert found(text.format("Plum-tart-77", "Fig#pie-88")) == [
        ("password", "Plum-tart-77"),
        ("password", "Fig#pie-88"),
    ]


HARMLESS = """my password is too short
my password is: too short
the password is "too short"
the password is wrong
my password is expired since 2024
the password is case-sensitive
the password is 12-16 characters long
the password is 8 characters
the password is 1234 characters long
the password is sha256-hashed
the password is stored in vault2
password for staging is required
the password policy is strict2
the password was changed on 2024-03-05
set the password to expire after 90 days
changed the password to something longer
I changed the password from the admin page to the vault
use password managers for it
use password hashing with argon2id
the passphrase is four words long, that is enough
the passphrase: it must have six words
the key is to start early
the key is user_2024
the key is that we ship by 2026-03-01
the primary key is order_id2024x1
the cache key is user12a34b:profile
the public key is in docs
the foreign key is a8b9c7d6e5
the next token is a1b2c3d4e5
the token is expired
token usage is 300
the token limit is 128000
use tokens sparingly
use token bucket rate limiting
the secret is to stir it for 20 minutes
the secret is out
the song's key is C#minor7
the pin is on the map
pin is 13
pin the version to 4.2.1
connect PIN GPIO17 to 5V
API keys: see the docs
API key: required
the login is slow
login is via /auth/v2
login: bob
credentials are in vault/prod
密码是什么
密码改了
密码忘了怎么办
密码是 8 位
密码是 1234 位的
密码为空
密码是加密的
密码改成强密码
密码用 bcrypt 存
密码是 sha256 存的
密码从哪里改成短信登录
密码是必填的
密钥是什么
密钥长度是 2048
密钥是 RSA-2048
密钥是 id_ed25519
密钥放在 vault2024 里
口令是什么
口令是“不能为空”
token 用量是 300
token 是按 1000 个计费的
token 上限改成 128000
key 是 user_id
key 是 user_2024
令牌桶用的是 1000
令牌过期了
登录密码换了没""".splitlines()


@pytest.mark.parametrize("text", HARMLESS)
def test_talk_about_secrets_stays(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("said", ["my password is: {}", "密码是：{}", "PIN and password: {}"])
def test_memory_never_keeps_them(said: str) -> None:
    assert "Tr0ub4dor" not in SecretFilter().clean(said.format("Tr0ub4dor&3"))


TOLD_BADLY = [
    "password for a ",
    "token (",
    "use the key ",
    "password from a1!bcd to ",
    "my password is ",
    "密码从a1!b",
    "密码在",
]


@pytest.mark.parametrize("piece", TOLD_BADLY)
def test_labels_in_a_row_take_no_long_time(piece: str) -> None:
    start = time.process_time()
    find_sensitive((piece * 60_000)[:60_000])
    assert time.process_time() - start < 8, "a quadratic pattern takes minutes"
