"""What would break later stops at the start: one sentence that names the variable and what is
expected."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from environs import Env, EnvError

from deploy.describe_environment import SOURCES, variables
from leaderboard.project.environment import (
    BUILD_KEY,
    VERSION,
    check_dotenv,
    given,
    is_this_machine,
    make_folder,
    name_of,
    sentence_of,
)
from tests.site import PROJECT
from tests.slow import slow

ENDPOINT = {"JUDGE_ENDPOINTS": "main=https://api.example.org/v1"}


# --- nothing --------------------------------------------------------------------------------------

NAMES = sorted(
    variable.name.replace("<ALIAS>", "MAIN")
    for source in SOURCES
    for variable in variables(source.read_text("utf-8"))
)


def plain(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name.isupper()}


@pytest.fixture
def bare(start, monkeypatch):
    """The settings of an environment that has a key, these variables and no others of ours. No
    folder is made."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SECRET_KEY", KEY)
    monkeypatch.setattr("leaderboard.project.environment.make_folder", lambda *_, **__: None)
    return lambda **given: plain(start(**{"VAR_DIR": "/files", **ENDPOINT, **given}))


def test_what_is_empty_counts_as_not_set(bare):
    usual, without_endpoints = bare(), bare(JUDGE_ENDPOINTS=" , ")
    assert without_endpoints["JUDGE_ENDPOINTS"] == {}
    expected = dict.fromkeys(NAMES, usual) | dict.fromkeys(ENDPOINT, without_endpoints)
    for name in ("SECRET_KEY", "VAR_DIR"):  # other tests say what these are then
        del expected[name]
    for nothing in ("", "  "):
        found = {name: bare(**{name: nothing}) for name in expected}
        assert [name for name in expected if found[name] != expected[name]] == []


def test_a_folder_is_of_the_checkout_wherever_a_process_starts(bare, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert bare(VAR_DIR="files")["VAR_DIR"] == PROJECT / "files"
    assert bare(VAR_DIR="/files")["VAR_DIR"] == Path("/files")
    usual = bare(VAR_DIR="")
    assert usual["VAR_DIR"] == PROJECT / "var"
    assert usual["DATABASES"]["default"]["NAME"] == str(PROJECT / "var/assay.sqlite3")


def test_brokers_are_taken_and_what_is_none_is_refused(bare, refuses):
    for broker in (
        *("redis://:p@h:6379/0", "redis+socket:///run/r"),
        *("amqp://u:p@h:5672//", "amqps://h"),
    ):
        assert bare(BROKER_URL=broker)["BROKER_URL"] == broker
    wrong = ("foo", "http://x:1", "redis://h:notaport/0", "sqla+sqlite:///x", "amqp://u:p@[::1")
    said = "BROKER_URL: must be the address of a Redis or RabbitMQ"
    refuses(*(({"BROKER_URL": broker}, said) for broker in (*wrong, "redis:/")))


# --- numbers and words ----------------------------------------------------------------------------

NO_NUMBER = ("nan", "inf", "-inf", "many", "-1", "1e30")
NOT_NEGATIVE = ("CANARY_HOURS", "BUDGET_SUBMISSION", "BUDGET_ACCOUNT_DAY", "BUDGET_SITE_DAY")
LIMITS: dict[str, tuple[str, ...]] = {
    "JUDGE_CONCURRENCY": (*NO_NUMBER, "0"),
    "JUDGE_TIMEOUT_SECONDS": (*NO_NUMBER, "0"),
    "JUDGE_LEASE_SECONDS": (*NO_NUMBER, "0", "1"),  # a second is too short to be renewed in time
    "JUDGE_PROCESSES_PER_RUN": (*NO_NUMBER, "0"),
    "JUDGE_DEADLINE_DAYS": (*NO_NUMBER, "0"),
    "SWEEP_SECONDS": (*NO_NUMBER, "0"),
    **dict.fromkeys(NOT_NEGATIVE, NO_NUMBER),
    "QUOTA_FILES": ("-1",),
    "TRUSTED_PROXIES": ("-1", "many", "11"),
    "JUDGE_RETRY_SECONDS": ("-1", "2,-1", "nan", "1,inf", "2,soon", "1,,2", "1e9"),
}


def test_a_number_that_cannot_be_is_refused_by_its_name(refuses):
    refuses(*(({name: value}, name) for name, values in LIMITS.items() for value in values))


def test_numbers_at_their_ends_and_words_are_taken(start):
    for name in (*NOT_NEGATIVE, "QUOTA_UNFINISHED"):  # nothing is never, or no cap
        assert start(**{name: "0"})[name] == 0
    assert start(JUDGE_LEASE_SECONDS="2")["JUDGE_LEASE_SECONDS"] == 2
    assert start(JUDGE_RETRY_SECONDS="0.5")["JUDGE_RETRY_SECONDS"] == [0.5]
    assert start(LOG_LEVEL="error")["LOG_LEVEL"] == "ERROR"
    judge = "openai:org/m:free@main"
    assert start(**ENDPOINT, DEFAULT_JUDGE=judge)["DEFAULT_JUDGE"] == judge
    nobody_without_end = start()
    quotas = ("QUOTA_SUBMISSIONS_DAY", "QUOTA_UNFINISHED", "QUOTA_FILES")
    assert [nobody_without_end[name] for name in quotas] == [3, 1, 50]


def test_the_sentence_says_what_is_expected_and_what_was_found(refuses):
    judges = (
        "DEFAULT_JUDGE must be rules or model:MODEL@ENDPOINT; endpoints in JUDGE_ENDPOINTS: main."
    )
    no_judges = ("foo", "RULES", "openai:m", "openai:m@other", "model:@main", "model: m @main")
    refuses(
        (
            {**ENDPOINT, "JUDGE_PROVIDER_MAIN": "nobody"},
            "JUDGE_PROVIDER_MAIN must be one of: openai.",
        ),
        (
            {"JUDGE_CONCURRENCY": "0"},
            "JUDGE_CONCURRENCY: must be from 1 to 10000, and is 0 (see docs/operator/settings.md)",
        ),
        (
            {"LOG_LEVEL": "loud"},
            "LOG_LEVEL: must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL",
        ),
        ({"SECRET_KEY": ""}, '"SECRET_KEY" not set (see docs/operator/settings.md'),
        *(({**ENDPOINT, "DEFAULT_JUDGE": name}, judges) for name in no_judges),
    )


def test_without_a_secret_key_the_way_to_one_is_told():
    with pytest.raises(EnvError) as caught:
        Env().str("SECRET_KEY_THAT_NOBODY_SET")
    said = sentence_of(caught.value)
    assert '"SECRET_KEY_THAT_NOBODY_SET" not set' in said
    assert "`make setup` writes a .env" in said


# --- names ----------------------------------------------------------------------------------------


def test_variables_that_nobody_reads_are_refused_by_their_names(refuses, refusal):
    lost = "is of no endpoint; endpoints in JUDGE_ENDPOINTS: main."
    unread = f"is no setting of Assay {VERSION}"
    refuses(
        *(
            ({**ENDPOINT, name: "x=1"}, f"{name} {lost}")
            for name in ("JUDGE_LIMITS_TYPO", "JUDGE_PRICES_TYPO", "JUDGE_KEY_TYPO")
        ),
        *(
            ({**ENDPOINT, name: "5"}, f"{name} {unread}")
            for name in ("BUDGET_SITE", "JUDGE_CONCURENCY", "JUDGE_LIMIT_MAIN", "QUOTA_FILE")
        ),
    )
    told = refusal(JUDGE_OF_TOMORROW="5", SWEEP_OF_TOMORROW="6")
    assert "JUDGE_OF_TOMORROW, SWEEP_OF_TOMORROW are no settings of Assay" in told
    assert "after going back from a newer version, use the settings that were kept" in told


def test_empty_variables_of_an_example_file_are_no_fault(start):
    found = start(JUDGE_ENDPOINTS="", JUDGE_KEY_MAIN="", JUDGE_LIMITS_MAIN=" ")
    assert found["JUDGE_ENDPOINTS"] == {}


def test_names_in_the_file_count_as_those_of_the_environment(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("JUDGE_KEY_TYPO=a\nJUDGE_KEY_MAIN=file\nNOTHING\n")
    monkeypatch.setenv("JUDGE_KEY_MAIN", "environment")
    found = given(tmp_path / ".env")
    names = ("JUDGE_KEY_TYPO", "JUDGE_KEY_MAIN", "NOTHING")
    assert [found[name] for name in names] == ["a", "environment", ""]


# --- endpoints ------------------------------------------------------------------------------------

FORMS = (
    "foo",
    "main=",
    "=https://api.example.org",
    "main=https://a.example.org,main=https://b.example.org",
)
TAKEN = (
    "https://api.example.org/v1",
    "HTTPS://api.example.org:8443/a/b/",
    "http://127.0.0.1:8000/v1",
    "http://127.9.9.9/v1",
    "http://localhost/v1",
    "http://[::1]:8000/v1",
)
OPEN = (
    "http://127.0.0.1.evil.example/v1",
    "http://localhost.evil.example/v1",
    "http://localhostevil.example",
    "http://10.0.0.5/v1",
    "http://api.example.org/v1",
    "http://127.1/v1",
    "http://2130706433/v1",
    "http://[2001:db8::1]/v1",
)
LAN = (
    "http://vllm:8000/v1",
    "http://host.docker.internal:8000/v1",
    "http://judge.lan/v1",
    "http://10.0.0.5:8000/v1",
    "http://192.168.1.7/v1",
    "http://[fd12::1]:8000/v1",
)
PUBLIC = (
    *("http://api.example.org/v1", "http://8.8.8.8/v1"),
    *("http://134744072/v1", "http://8.526344/v1"),
)
SECRETS_OF_A_HOST = (
    "169.254.169.254",
    "169.254.169.254.",
    "2852039166",
    "0xa9fea9fe",
    "169.16689662",
    "0251.0376.0251.0376",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "metadata.google.internal",
    "METADATA.google.internal.",
)
MORE_THAN_HOST_AND_PATH = (
    "https://api.example.org/v1?x=1",
    "https://api.example.org/v1?",
    "https://api.example.org/v1#top",
    "https:///v1",
    "https://:443/v1",
    "https://user:hunter2@api.example.org/v1",
    "http://127.0.0.1@evil.example/v1",
    "http://127.0.0.1\\@evil.example/v1",
    "https://api.example.org\\evil/v1",
    "https://api.example.org:0/v1",
    "https://api.example.org:99999/v1",
    "https://api.example.org:port/v1",
    "https://[::1/v1",
    "https://api.example .org/v1",
    "https://api.exämple.org/v1",
    "ftp://api.example.org/v1",
    "api.example.org/v1",
)


def at(url: str, **more: str) -> dict[str, str]:
    return {"JUDGE_ENDPOINTS": f"main={url}", **more}


def test_endpoints_in_another_form_are_refused_with_an_example(refuses):
    example = "Example: main=https://api.example.org/v1"
    aliases = ("ma in", "m@in", "mäin", "m.n", "-main", "x" * 51)
    shared = "my-lab=https://a.example.org/v1,MY_LAB=https://b.example.org/v1"
    refuses(
        *(({"JUDGE_ENDPOINTS": value}, example) for value in FORMS),
        *(
            ({"JUDGE_ENDPOINTS": f"{alias}={TAKEN[0]}"}, "JUDGE_ENDPOINTS: the alias ")
            for alias in aliases
        ),
        ({"JUDGE_ENDPOINTS": shared}, "my-lab and MY_LAB would share a key"),
    )


def test_a_key_goes_in_plain_text_only_to_this_machine(refuses, start):
    for url in TAKEN:
        assert start(**at(url))["JUDGE_ENDPOINTS"]["main"]["url"] == url
    said = "the address of 'main' must begin with https:// (or be on this machine)"
    refuses(*((at(url), said) for url in OPEN))
    hosts = {"127.255.255.254": True, "::1": True, "128.0.0.1": False}
    assert {host: is_this_machine(host) for host in hosts} == hosts


def test_a_judge_in_the_own_network_needs_a_setting_that_the_refusal_names(refuses, start):
    refuses(*((at(url), "say JUDGE_PRIVATE_ENDPOINTS=main.") for url in LAN))
    for url in LAN:
        found = start(**at(url, JUDGE_PRIVATE_ENDPOINTS=" main ,"))
        assert found["JUDGE_ENDPOINTS"]["main"]["url"] == url


def test_nothing_is_private_because_it_is_called_so(refuses):
    private = {"JUDGE_PRIVATE_ENDPOINTS": "main"}
    public = "JUDGE_PRIVATE_ENDPOINTS: the address of 'main' is not private"
    two = {"JUDGE_ENDPOINTS": "main=http://vllm:8000,b=http://other:8000", **private}
    refuses(
        *((at(url, **private), public) for url in PUBLIC),
        *(
            (at(f"{scheme}://{host}/v1", **private), "the address of 'main' is link-local")
            for scheme in ("http", "https")
            for host in SECRETS_OF_A_HOST
        ),
        (
            at(TAKEN[0], JUDGE_PRIVATE_ENDPOINTS="main,vllm"),
            "JUDGE_PRIVATE_ENDPOINTS names vllm, which JUDGE_ENDPOINTS does not.",
        ),
        (two, "the address of 'b' must begin with https://"),
    )


def test_an_address_is_a_host_and_a_path(refuses):
    said = "JUDGE_ENDPOINTS: the address of 'main' must be a host and a path"
    refuses(*((at(url), said) for url in MORE_THAN_HOST_AND_PATH))


def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(refusal):
    for key in ("schlüssel", "two words", "key\n", "\tkey", "key\u200b"):
        said = refusal(**ENDPOINT, JUDGE_KEY_MAIN=key)
        assert "JUDGE_KEY_MAIN must be ASCII characters without blanks" in said
        assert key.strip() not in said.replace("JUDGE_KEY_MAIN", "")


def test_limits_prices_and_parameters_that_cannot_hold_are_refused(refuses):
    limits = ("requests=", "requests=0", "requests=-1", "requests=many", "calls=3", "tokens=1e3")
    prices = ("m", "m=", "m=1", "m=1/2/3", "m=nan/1", "m=1/inf", "m=-1/1", "m=a/b", "m=1e9/1")
    parameters = ("m=7", '{"m": {"messages": []}}', '{"m": {"max_tokens": 0}}')
    form = "must be name=value, with commas between. Example: requests=500,tokens=200000"
    refuses(
        *(({**ENDPOINT, "JUDGE_LIMITS_MAIN": one}, "JUDGE_LIMITS_MAIN") for one in limits),
        ({**ENDPOINT, "JUDGE_LIMITS_MAIN": "requests"}, form),
        *(({**ENDPOINT, "JUDGE_PRICES_MAIN": one}, "Example: gpt-4o=2.5/10") for one in prices),
        *(({**ENDPOINT, "JUDGE_PARAMETERS_MAIN": one}, "Example:") for one in parameters),
    )


def test_limits_and_prices_are_read(start):
    found = start(
        JUDGE_ENDPOINTS="my-lab=https://api.example.org/v1",
        JUDGE_KEY_MY_LAB="sk-1",
        JUDGE_LIMITS_MY_LAB="requests=500, tokens = 200000",
        JUDGE_PRICES_MY_LAB="m=2.5/10,free=0/0",
        JUDGE_PARAMETERS_MY_LAB='{"m": {"temperature": null, "max_tokens": 99}}',
        BUDGET_SITE_DAY="1",
    )["JUDGE_ENDPOINTS"]
    assert found["my-lab"] == {
        "url": "https://api.example.org/v1",
        "key": "sk-1",
        "provider": "openai",
        "limits": {"requests": 500, "tokens": 200_000},
        "prices": {"m": (2.5, 10.0), "free": (0.0, 0.0)},
        "parameters": {"m": {"temperature": None, "max_tokens": 99}},
    }


def test_prices_need_a_budget_and_what_is_free_needs_none(start, refuses):
    priced = {**ENDPOINT, "JUDGE_PRICES_MAIN": "m=2.5/10"}
    refuses((priced, "JUDGE_PRICES_MAIN has prices, and no budget is set: set BUDGET_SITE_DAY, "))
    for budget in ("BUDGET_SUBMISSION", "BUDGET_ACCOUNT_DAY", "BUDGET_SITE_DAY"):
        assert start(**priced, **{budget: "5"})[budget] == 5
    assert start(**ENDPOINT, JUDGE_PRICES_MAIN="m=0/0")


# --- a .env that is not ours ----------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_left_alone_where_the_environment_has_a_key(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("SECRET_KEY", "k" * 32)
    (tmp_path / ".env").mkdir()  # root reads every file, but no folder as one
    assert check_dotenv(tmp_path / ".env") is False
    assert given(tmp_path / ".env")["SECRET_KEY"] == "k" * 32


def test_a_file_that_cannot_be_read_and_is_needed_is_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SECRET_KEY")
    (tmp_path / ".env").mkdir()
    with pytest.raises(SystemExit, match="2"):
        check_dotenv(tmp_path / ".env")
    said = capsys.readouterr().err
    assert f"{tmp_path / '.env'} cannot be read (Is a directory) and SECRET_KEY is not set." in said


# --- keys and folders -----------------------------------------------------------------------------

KEY = "a-key-of-this-test-that-signs-nothing"


def test_a_key_that_others_know_or_can_guess_is_refused(refuses):
    cases = []
    for name in ("SECRET_KEY", "SECRET_KEY_FALLBACKS"):
        given = f"{name} is the key that images were built with"
        cases.append(({"SECRET_KEY": KEY, name: BUILD_KEY}, given))
        short = f"{name} must have at least 32 characters"
        cases += [({"SECRET_KEY": KEY, name: key}, short) for key in ("short", "a" * 64, "ab" * 40)]
    refuses(*cases)


def test_old_keys_go_on_being_read(start):
    settings = start(SECRET_KEY=KEY, SECRET_KEY_FALLBACKS=f"{KEY}-1,{KEY}-2")
    assert settings["SECRET_KEY_FALLBACKS"] == [f"{KEY}-1", f"{KEY}-2"]


def test_no_example_or_image_names_a_key():
    for path in (PROJECT / "deploy").iterdir():
        if path.is_file():
            assert BUILD_KEY not in path.read_text(errors="replace")


def test_with_https_cookies_belong_to_this_host_alone(start):
    for https, prefix in (("true", "__Host-"), ("false", "")):
        settings = start(HTTPS=https)
        assert settings["SESSION_COOKIE_NAME"] == f"{prefix}sessionid"
        assert settings["CSRF_COOKIE_NAME"] == f"{prefix}csrftoken"
        assert settings["SESSION_COOKIE_SECURE"] is settings["CSRF_COOKIE_SECURE"] is bool(prefix)


def test_a_folder_that_is_made_is_closed_to_others(start, tmp_path):
    start(VAR_DIR=str(tmp_path / "files"))
    assert stat.S_IMODE((tmp_path / "files").stat().st_mode) == 0o700


def test_our_own_folder_is_closed_to_others_later_too_and_one_that_was_named_stays(start, tmp_path):
    tmp_path.chmod(0o755)
    start()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
    make_folder(tmp_path, is_ours=True)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


# What each command does at its start, by a user who has no rights of others.
AS_NOBODY = """
import os, sys
from pathlib import Path
from leaderboard.project.environment import make_folder
if os.geteuid() == 0:
    os.setuid(65534)
make_folder(Path(sys.argv[1]), is_ours=False)
"""


def said_of_folder(path: Path, *before: str) -> str:
    """What a process is told that ends with 2: one line on its error output."""
    ended = subprocess.run(
        [*before, sys.executable, "-c", AS_NOBODY, str(path)],
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"], "SECRET_KEY": KEY},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1), ended.stderr
    return ended.stderr.removeprefix("Assay cannot start: ").strip()


@pytest.fixture
def open_folder(tmp_path_factory) -> Iterator[Path]:
    """A folder that every user of the machine reaches."""
    with TemporaryDirectory(prefix="assay-folders-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of another user")


@AS_ROOT
def test_a_folder_of_another_user_is_told_with_both_and_what_to_do(open_folder):
    (open_folder / "var").mkdir(mode=0o700)
    assert said_of_folder(open_folder / "var") == (
        f"VAR_DIR: {open_folder}/var belongs to the user root, and nobody cannot write there. Run "
        "this as root, or give the folder to nobody (chown -R), or name another folder in VAR_DIR."
    )


@AS_ROOT
def test_so_is_what_a_first_start_left_to_another_user_in_a_folder_of_ones_own(open_folder):
    (open_folder / "assay.sqlite3").touch(mode=0o600)
    os.chown(open_folder, 65534, 65534)
    said = said_of_folder(open_folder)
    assert f"{open_folder}/assay.sqlite3 belongs to the user root, and nobody cannot" in said


@AS_ROOT
def test_what_else_stands_in_a_folder_that_an_operator_named_is_nobodys_business(open_folder):
    (open_folder / "lost+found").mkdir(mode=0o700)
    os.chown(open_folder, 65534, 65534)
    command = [sys.executable, "-c", AS_NOBODY, str(open_folder)]
    environment = {"PATH": os.environ["PATH"], "SECRET_KEY": KEY}
    assert subprocess.run(command, cwd=PROJECT, env=environment).returncode == 0


def test_a_folder_without_the_right_to_write_is_told_with_the_command(open_folder):
    (open_folder / "var").mkdir()
    if os.geteuid() == 0:
        os.chown(open_folder / "var", 65534, 65534)
    (open_folder / "var").chmod(0o500)
    said = said_of_folder(open_folder / "var")
    assert (
        f"/var cannot be written by its owner {name_of((open_folder / 'var').stat().st_uid)}. "
        in said
    )
    assert f"Say chmod u+rwx {open_folder}/var, or name another folder in VAR_DIR." in said


def test_a_read_only_file_system_is_told_as_such(open_folder):
    mounted = f'mount -t tmpfs -o ro none {open_folder} && exec "$@"'
    namespace = ["unshare", "--mount", "sh", "-c", mounted, "sh"]
    if subprocess.run([*namespace, "true"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("nothing can be mounted here")
    assert said_of_folder(open_folder, *namespace) == (
        f"VAR_DIR: {open_folder} is on a read-only file system. Mount it for writing, or name "
        "another folder in VAR_DIR."
    )


@AS_ROOT
def test_a_folder_that_cannot_be_made_is_told_with_for_whom_to_make_it(open_folder):
    assert said_of_folder(open_folder / "a/b") == (
        f"VAR_DIR {open_folder}/a/b cannot be made (Permission denied). Make the folder and give "
        "it to the user nobody, or name another one in VAR_DIR."
    )


def test_a_file_where_a_folder_is_to_be_is_told(refuses, tmp_path):
    (tmp_path / "file").touch()
    file = f"{tmp_path}/file"
    refuses(
        ({"VAR_DIR": file}, f"VAR_DIR {file} is not a folder. Name one"),
        ({"VAR_DIR": f"{file}/a"}, f"VAR_DIR {file}/a cannot be made (Not a directory)"),
    )


@pytest.mark.parametrize(
    "command", ["manage.py migrate", slow("manage.py serve"), "-m celery -A leaderboard worker"]
)
def test_every_command_says_so_in_one_line(tmp_path, command):
    (tmp_path / "file").touch()
    ended = subprocess.run(
        [sys.executable, *command.split()],
        cwd=PROJECT,
        env={"PATH": os.environ["PATH"], "SECRET_KEY": KEY, "VAR_DIR": f"{tmp_path}/file"},
        capture_output=True,
        text=True,
    )
    said = [line for line in ended.stderr.splitlines() if "[INFO]" not in line]
    assert said[:1] == [
        f"Assay cannot start: VAR_DIR {tmp_path}/file is not a folder. Name one in VAR_DIR; it is "
        "made if it is not there."
    ]
    assert "Traceback" not in ended.stdout + ended.stderr
    assert ended.returncode
