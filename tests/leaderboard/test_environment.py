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
from leaderboard.environment import (
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
    monkeypatch.setattr("leaderboard.environment.make_folder", lambda *_, **__: None)
    return lambda **given: plain(start(**{"VAR_DIR": "/files", **ENDPOINT, **given}))


@pytest.mark.parametrize("nothing", ["", "  "])
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("SECRET_KEY", "VAR_DIR")])
def test_what_is_empty_counts_as_not_set(bare, monkeypatch, name, nothing):
    empty = bare(**{name: nothing})
    if name in ENDPOINT:
        assert empty == bare(**{name: " , "})
        assert empty["JUDGE_ENDPOINTS"] == {}
    else:
        monkeypatch.delenv(name)
        assert empty == bare()


def test_an_empty_folder_is_the_usual_one_and_not_the_one_that_somebody_stands_in(bare):
    found = bare(VAR_DIR="")
    assert found["VAR_DIR"] == PROJECT / "var"
    assert found["DATABASES"]["default"]["NAME"] == str(PROJECT / "var/assay.sqlite3")


def test_a_folder_is_of_the_checkout_wherever_a_process_starts(bare, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert bare(VAR_DIR="files")["VAR_DIR"] == PROJECT / "files"
    assert bare(VAR_DIR="/files")["VAR_DIR"] == Path("/files")


@pytest.mark.parametrize(
    "broker",
    ["foo", "http://x:1", "redis://h:notaport/0", "sqla+sqlite:///x", "amqp://u:p@[::1", "redis:/"],
)
def test_a_broker_that_is_none_is_refused_by_its_name(refusal, broker):
    said = refusal(BROKER_URL=broker)
    assert "BROKER_URL" in said
    assert "address of a Redis or RabbitMQ" in said


@pytest.mark.parametrize(
    "broker", ["redis://:p@h:6379/0", "amqp://u:p@h:5672//", "amqps://h", "redis+socket:///run/r"]
)
def test_brokers_are_taken(bare, broker):
    assert bare(BROKER_URL=broker)["BROKER_URL"] == broker


def test_an_empty_key_is_none(refusal):
    assert '"SECRET_KEY" not set (see README' in refusal(SECRET_KEY="")


# --- numbers --------------------------------------------------------------------------------------

NO_NUMBER = ["nan", "inf", "-inf", "many", "-1"]
POSITIVE = [
    "JUDGE_CONCURRENCY",
    "JUDGE_TIMEOUT_SECONDS",
    "JUDGE_LEASE_SECONDS",
    "JUDGE_PROCESSES_PER_RUN",
    "JUDGE_DEADLINE_DAYS",
    "SWEEP_SECONDS",
]
NOT_NEGATIVE = ["CANARY_HOURS", "BUDGET_SUBMISSION", "BUDGET_ACCOUNT_DAY", "BUDGET_SITE_DAY"]


@pytest.mark.parametrize("value", [*NO_NUMBER, "0", "1e30"])
@pytest.mark.parametrize("name", POSITIVE)
def test_what_must_be_above_zero_is_refused_below_and_beyond_reason(refusal, name, value):
    assert name in refusal(**{name: value})


@pytest.mark.parametrize("value", [*NO_NUMBER, "1e30"])
@pytest.mark.parametrize("name", NOT_NEGATIVE)
def test_what_may_be_zero_is_refused_below_and_beyond_reason(refusal, name, value):
    assert name in refusal(**{name: value})


@pytest.mark.parametrize("name", NOT_NEGATIVE)
def test_zero_is_accepted_where_it_means_never_or_no_cap(start, name):
    assert start(**{name: "0"})[name] == 0


def test_the_sentence_says_what_is_expected_and_what_was_found(refusal):
    assert (
        "JUDGE_CONCURRENCY: must be from 1 to 10000, and is 0 (see deploy/environment.md)"
        in refusal(JUDGE_CONCURRENCY="0")
    )


def test_a_lease_too_short_to_be_renewed_in_time_is_refused(refusal, start):
    assert "JUDGE_LEASE_SECONDS: must be from 2 " in refusal(JUDGE_LEASE_SECONDS="1")
    assert start(JUDGE_LEASE_SECONDS="2")["JUDGE_LEASE_SECONDS"] == 2


@pytest.mark.parametrize("value", ["-1", "2,-1", "nan", "1,inf", "2,soon", "1,,2", "1e9"])
def test_waits_that_cannot_be_waited_are_refused(refusal, value):
    assert "JUDGE_RETRY_SECONDS: " in refusal(JUDGE_RETRY_SECONDS=value)


def test_one_wait_is_enough(start):
    assert start(JUDGE_RETRY_SECONDS="0.5")["JUDGE_RETRY_SECONDS"] == [0.5]


def test_without_a_secret_key_the_way_to_one_is_told():
    with pytest.raises(EnvError) as caught:
        Env().str("SECRET_KEY_THAT_NOBODY_SET")
    said = sentence_of(caught.value)
    assert '"SECRET_KEY_THAT_NOBODY_SET" not set' in said
    assert "`make setup` writes a .env" in said


# --- words ----------------------------------------------------------------------------------------


def test_an_unknown_log_level_is_refused_with_the_known_ones(refusal, start):
    assert "LOG_LEVEL: must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL" in refusal(
        LOG_LEVEL="loud"
    )
    assert start(LOG_LEVEL="error")["LOG_LEVEL"] == "ERROR"


@pytest.mark.parametrize(
    "name", ["foo", "RULES", "openai:m", "openai:m@other", "openai:@main", "openai: m @main"]
)
def test_a_default_judge_that_cannot_be_found_is_refused_with_the_endpoints(refusal, name):
    said = refusal(**ENDPOINT, DEFAULT_JUDGE=name)
    assert (
        "DEFAULT_JUDGE must be rules or openai:MODEL@ENDPOINT; endpoints in JUDGE_ENDPOINTS: main."
        in said
    )


def test_a_default_judge_at_a_known_endpoint_is_accepted(start):
    assert (
        start(**ENDPOINT, DEFAULT_JUDGE="openai:org/m:free@main")["DEFAULT_JUDGE"]
        == "openai:org/m:free@main"
    )


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["JUDGE_LIMITS_TYPO", "JUDGE_PRICES_TYPO", "JUDGE_KEY_TYPO"])
def test_variables_of_an_endpoint_that_is_not_there_are_refused(refusal, name):
    assert f"{name} is of no endpoint; endpoints in JUDGE_ENDPOINTS: main." in refusal(
        **ENDPOINT, **{name: "x=1"}
    )


@pytest.mark.parametrize("name", ["BUDGET_SITE", "JUDGE_CONCURENCY", "JUDGE_LIMIT_MAIN"])
def test_limits_and_budgets_under_a_wrong_name_are_refused(refusal, name):
    told = refusal(**ENDPOINT, **{name: "5"})
    assert f"{name} is no setting of Assay {VERSION}" in told
    assert "after going back from a newer version, use the settings that were kept" in told


def test_all_variables_that_nobody_reads_are_named_at_once(refusal):
    told = refusal(JUDGE_OF_TOMORROW="5", SWEEP_OF_TOMORROW="6")
    assert "JUDGE_OF_TOMORROW, SWEEP_OF_TOMORROW are no settings of Assay" in told


def test_empty_variables_of_an_example_file_are_no_fault(start):
    assert (
        start(JUDGE_ENDPOINTS="", JUDGE_KEY_MAIN="", JUDGE_LIMITS_MAIN=" ")["JUDGE_ENDPOINTS"] == {}
    )


def test_names_in_the_file_count_as_those_of_the_environment(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("JUDGE_KEY_TYPO=a\nJUDGE_KEY_MAIN=file\nNOTHING\n")
    monkeypatch.setenv("JUDGE_KEY_MAIN", "environment")
    found = given(tmp_path / ".env")
    assert (found["JUDGE_KEY_TYPO"], found["JUDGE_KEY_MAIN"], found["NOTHING"]) == (
        "a",
        "environment",
        "",
    )


# --- endpoints ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        "foo",
        "main=",
        "=https://api.example.org",
        "main=https://a.example.org,main=https://b.example.org",
    ],
)
def test_endpoints_in_another_form_are_refused_with_an_example(refusal, value):
    said = refusal(JUDGE_ENDPOINTS=value)
    assert "JUDGE_ENDPOINTS " in said
    assert "Example: main=https://api.example.org/v1" in said


@pytest.mark.parametrize("alias", ["ma in", "m@in", "mäin", "m.n", "-main", "x" * 51])
def test_an_alias_that_no_variable_could_end_in_is_refused(refusal, alias):
    assert "JUDGE_ENDPOINTS: the alias " in refusal(
        JUDGE_ENDPOINTS=f"{alias}=https://api.example.org/v1"
    )


def test_two_endpoints_never_share_a_key(refusal):
    said = refusal(
        JUDGE_ENDPOINTS="my-lab=https://a.example.org/v1,MY_LAB=https://b.example.org/v1"
    )
    assert "my-lab and MY_LAB would share a key" in said


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1.evil.example/v1",
        "http://localhost.evil.example/v1",
        "http://localhostevil.example",
        "http://10.0.0.5/v1",
        "http://api.example.org/v1",
        "http://127.1/v1",
        "http://2130706433/v1",
        "http://[2001:db8::1]/v1",
    ],
)
def test_a_key_goes_in_plain_text_only_to_this_machine(refusal, url):
    assert "must begin with https:// (or be on this machine)" in refusal(
        JUDGE_ENDPOINTS=f"main={url}"
    )


LAN = [
    "http://vllm:8000/v1",
    "http://host.docker.internal:8000/v1",
    "http://judge.lan/v1",
    "http://10.0.0.5:8000/v1",
    "http://192.168.1.7/v1",
    "http://[fd12::1]:8000/v1",
]


@pytest.mark.parametrize("url", LAN)
def test_a_judge_in_the_own_network_needs_a_setting_that_the_refusal_names(refusal, start, url):
    assert "say JUDGE_PRIVATE_ENDPOINTS=main." in refusal(JUDGE_ENDPOINTS=f"main={url}")
    found = start(JUDGE_ENDPOINTS=f"main={url}", JUDGE_PRIVATE_ENDPOINTS=" main ,")
    assert found["JUDGE_ENDPOINTS"]["main"]["url"] == url


@pytest.mark.parametrize(
    "url",
    ["http://api.example.org/v1", "http://8.8.8.8/v1", "http://134744072/v1", "http://8.526344/v1"],
)
def test_nothing_public_is_private_because_it_is_called_so(refusal, url):
    said = refusal(JUDGE_ENDPOINTS=f"main={url}", JUDGE_PRIVATE_ENDPOINTS="main")
    assert "JUDGE_PRIVATE_ENDPOINTS: the address of 'main' is not private" in said


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(
    "host",
    [
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
    ],
)
def test_no_judge_is_asked_where_a_host_keeps_its_secrets(refusal, scheme, host):
    said = refusal(JUDGE_ENDPOINTS=f"main={scheme}://{host}/v1", JUDGE_PRIVATE_ENDPOINTS="main")
    assert "the address of 'main' is link-local" in said


def test_a_private_endpoint_that_is_none_is_refused(refusal):
    said = refusal(**ENDPOINT, JUDGE_PRIVATE_ENDPOINTS="main,vllm")
    assert "JUDGE_PRIVATE_ENDPOINTS names vllm, which JUDGE_ENDPOINTS does not." in said


def test_another_endpoint_is_not_private_too(refusal):
    said = refusal(
        JUDGE_ENDPOINTS="a=http://vllm:8000,b=http://other:8000", JUDGE_PRIVATE_ENDPOINTS="a"
    )
    assert "the address of 'b' must begin with https://" in said


@pytest.mark.parametrize(
    "url",
    [
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
    ],
)
def test_an_address_is_a_host_and_a_path(refusal, url):
    said = refusal(JUDGE_ENDPOINTS=f"main={url}")
    assert "JUDGE_ENDPOINTS: the address of 'main' must be a host and a path" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.org/v1",
        "HTTPS://api.example.org:8443/a/b/",
        "http://127.0.0.1:8000/v1",
        "http://127.9.9.9/v1",
        "http://localhost/v1",
        "http://[::1]:8000/v1",
    ],
)
def test_hosts_with_tls_and_this_machine_are_accepted(start, url):
    assert start(JUDGE_ENDPOINTS=f"main={url}")["JUDGE_ENDPOINTS"]["main"]["url"] == url


@pytest.mark.parametrize(
    ("host", "answer"), [("127.255.255.254", True), ("::1", True), ("128.0.0.1", False)]
)
def test_this_machine_is_known_by_its_whole_address(host, answer):
    assert is_this_machine(host) is answer


@pytest.mark.parametrize("key", ["schlüssel", "two words", "key\n", "\tkey", "key\u200b"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(refusal, key):
    said = refusal(**ENDPOINT, JUDGE_KEY_MAIN=key)
    assert "JUDGE_KEY_MAIN must be ASCII characters without blanks" in said
    assert key.strip() not in said.replace("JUDGE_KEY_MAIN", "")


@pytest.mark.parametrize(
    "value",
    [
        "requests",
        "requests=",
        "requests=0",
        "requests=-1",
        "requests=many",
        "calls=3",
        "tokens=1e3",
    ],
)
def test_limits_that_cannot_hold_are_refused(refusal, value):
    assert "JUDGE_LIMITS_MAIN" in refusal(**ENDPOINT, JUDGE_LIMITS_MAIN=value)


def test_limits_in_another_form_are_refused_with_an_example(refusal):
    said = refusal(**ENDPOINT, JUDGE_LIMITS_MAIN="requests")
    assert "must be name=value, with commas between. Example: requests=500,tokens=200000" in said


@pytest.mark.parametrize(
    "value", ["m", "m=", "m=1", "m=1/2/3", "m=nan/1", "m=1/inf", "m=-1/1", "m=a/b", "m=1e9/1"]
)
def test_prices_that_are_none_are_refused_with_an_example(refusal, value):
    said = refusal(**ENDPOINT, JUDGE_PRICES_MAIN=value)
    assert "JUDGE_PRICES_MAIN" in said
    assert "Example: gpt-4o=2.5/10" in said


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
        "limits": {"requests": 500, "tokens": 200_000},
        "prices": {"m": (2.5, 10.0), "free": (0.0, 0.0)},
        "parameters": {"m": {"temperature": None, "max_tokens": 99}},
    }


@pytest.mark.parametrize("value", ["m=7", '{"m": {"messages": []}}', '{"m": {"max_tokens": 0}}'])
def test_wrong_parameters_of_a_judge_stop_start_up(refusal, value):
    said = refusal(**ENDPOINT, JUDGE_PARAMETERS_MAIN=value)
    assert "JUDGE_PARAMETERS_MAIN" in said
    assert "Example:" in said


# --- budgets and quotas ---------------------------------------------------------------------------

PRICED = {**ENDPOINT, "JUDGE_PRICES_MAIN": "m=2.5/10"}


def test_prices_without_a_budget_are_refused_with_what_to_set(refusal):
    said = refusal(**PRICED)
    assert "JUDGE_PRICES_MAIN has prices, and no budget is set: set BUDGET_SITE_DAY, " in said


@pytest.mark.parametrize("budget", ["BUDGET_SUBMISSION", "BUDGET_ACCOUNT_DAY", "BUDGET_SITE_DAY"])
def test_any_budget_is_enough(start, budget):
    assert start(**PRICED, **{budget: "5"})[budget] == 5


def test_a_model_that_is_free_needs_no_budget(start):
    assert start(**ENDPOINT, JUDGE_PRICES_MAIN="m=0/0")


def test_nobody_may_hand_in_without_end_unless_the_site_says_so(start, refusal):
    found = start()
    assert (found["QUOTA_SUBMISSIONS_DAY"], found["QUOTA_UNFINISHED"]) == (3, 1)
    assert found["QUOTA_FILES"] == 50
    assert start(QUOTA_UNFINISHED="0")["QUOTA_UNFINISHED"] == 0
    assert "QUOTA_FILES: must be from 0 to" in refusal(QUOTA_FILES="-1")
    assert "QUOTA_FILE is no setting of Assay" in refusal(QUOTA_FILE="5")


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


@pytest.mark.parametrize("name", ["SECRET_KEY", "SECRET_KEY_FALLBACKS"])
def test_the_key_that_images_were_built_with_is_refused(refusal, name):
    said = refusal(**{"SECRET_KEY": KEY, name: BUILD_KEY})
    assert f"{name} is the key that images were built with" in said


@pytest.mark.parametrize("key", ["short", "a" * 64, "ab" * 40])
@pytest.mark.parametrize("name", ["SECRET_KEY", "SECRET_KEY_FALLBACKS"])
def test_a_key_that_can_be_guessed_is_refused(refusal, name, key):
    assert f"{name} must have at least 32 characters" in refusal(**{"SECRET_KEY": KEY, name: key})


def test_old_keys_go_on_being_read(start):
    settings = start(SECRET_KEY=KEY, SECRET_KEY_FALLBACKS=f"{KEY}-1,{KEY}-2")
    assert settings["SECRET_KEY_FALLBACKS"] == [f"{KEY}-1", f"{KEY}-2"]


def test_no_example_or_image_names_a_key():
    for path in (PROJECT / "deploy").iterdir():
        if path.is_file():
            assert BUILD_KEY not in path.read_text(errors="replace")


@pytest.mark.parametrize(("https", "prefix"), [("true", "__Host-"), ("false", "")])
def test_with_https_cookies_belong_to_this_host_alone(start, https, prefix):
    settings = start(HTTPS=https)
    assert settings["SESSION_COOKIE_NAME"] == f"{prefix}sessionid"
    assert settings["CSRF_COOKIE_NAME"] == f"{prefix}csrftoken"
    assert settings["SESSION_COOKIE_SECURE"] is settings["CSRF_COOKIE_SECURE"] is bool(prefix)


def test_a_folder_that_is_made_is_closed_to_others(start, tmp_path):
    start(VAR_DIR=str(tmp_path / "files"))
    assert stat.S_IMODE((tmp_path / "files").stat().st_mode) == 0o700


def test_our_own_folder_is_closed_to_others_later_too(tmp_path):
    tmp_path.chmod(0o755)
    make_folder(tmp_path, is_ours=True)
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700


def test_a_folder_that_an_operator_named_stays_as_it_is(start, tmp_path):
    tmp_path.chmod(0o755)
    start()
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


# What each command does at its start, by a user who has no rights of others.
AS_NOBODY = """
import os, sys
from pathlib import Path
from leaderboard.environment import make_folder
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


@pytest.mark.parametrize("below", ["", "/a"])
def test_a_file_where_a_folder_is_to_be_is_told(refusal, tmp_path, below):
    (tmp_path / "file").touch()
    said = refusal(VAR_DIR=f"{tmp_path}/file{below}")
    assert f"VAR_DIR {tmp_path}/file{below} " in said
    assert ("is not a folder. Name one" if not below else "(Not a directory)") in said


@pytest.mark.parametrize(
    "command",
    [
        "manage.py migrate",
        "manage.py serve",
        "manage.py demo",
        "manage.py check_progress",
        "-m celery -A leaderboard worker",
    ],
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


@pytest.mark.parametrize("count", ["-1", "many", "11"])
def test_a_count_of_proxies_beyond_reason_is_refused(refusal, count):
    assert "TRUSTED_PROXIES" in refusal(TRUSTED_PROXIES=count)
