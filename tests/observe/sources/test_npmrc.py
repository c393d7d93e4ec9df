"""npm's configuration is read as npm reads it, and its secrets stay where they are."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.sources.npm import ask, npmrc
from driftwatch.observe.sources.npm.ini import expand, parse
from driftwatch.observe.sources.npm.npmrc import NpmConfig, load
from driftwatch.observe.sources.secret import redact

TOKEN = "npm_S3cretS3cretS3cret"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def env(home: Path, **more: str) -> dict[str, str]:
    """No npm, no global file: only what the test says."""
    return {"HOME": str(home), "PATH": "", "npm_config_globalconfig": str(home / "no-global"), **more}


def configured(home: Path, text: str, **more: str) -> NpmConfig:
    (home / ".npmrc").write_text(text, "utf-8")
    return load(env=env(home, **more))


def bearer(config: NpmConfig, url: str) -> str:
    secret = config.authorization(url)
    return secret.reveal() if secret else ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("registry=https://r.example/", {"registry": "https://r.example/"}),
        ("  registry =  https://r.example/  ", {"registry": "https://r.example/"}),
        ("; no\n# no\n\nkey=value", {"key": "value"}),
        ("key=value ; a comment", {"key": "value"}),
        ("key=value\\;kept", {"key": "value;kept"}),
        ('key="a;b"', {"key": "a;b"}),
        ("key='a;b'", {"key": "a;b"}),
        ("flag", {"flag": "true"}),
        ("a=1\r\nb=2", {"a": "1", "b": "2"}),
        ("a=1\na=2", {"a": "2"}),
        ("ca[]=one\nca[]=two", {"ca": ["one", "two"]}),
        ("a=1\n[section]\nb=2", {"a": "1"}),
        ("a=b=c", {"a": "b=c"}),
        ("\ufeffa=1", {"a": "1"}),
        ("=x", {}),
    ],
)
def test_ini_as_npm_reads_it(text: str, wanted: dict[str, object]) -> None:
    assert parse(text) == wanted


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("${NPM_TOKEN}", "t"),
        ("a${NPM_TOKEN}b", "atb"),
        ("${MISSING}", "${MISSING}"),
        ("${MISSING?}", ""),
        ("${NPM_TOKEN?}", "t"),
        ("\\${NPM_TOKEN}", "${NPM_TOKEN}"),
        ("$NPM_TOKEN", "$NPM_TOKEN"),
    ],
)
def test_variables(value: str, wanted: str) -> None:
    assert expand({"key": value}, {"NPM_TOKEN": "t"}) == {"key": wanted}


def test_layers_strongest_first(home: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (home / "global").write_text("registry=https://global.example/\n@g:registry=https://g.example/\n")
    (home / ".npmrc").write_text("registry=https://user.example/\n")
    layers = {**env(home), "npm_config_globalconfig": str(home / "global")}
    assert load(project, env=layers).registry == "https://user.example/"
    assert load(project, env=layers).registry_for("@g/x") == "https://g.example/"
    (project / ".npmrc").write_text("registry=https://project.example/\n")
    assert load(project, env=layers).registry == "https://project.example/"
    layers["NPM_CONFIG_REGISTRY"] = "https://env.example/"
    assert load(project, env=layers).registry == "https://env.example/"
    assert load(project, env=layers, registry="https://watchlist.example/").registry == "https://watchlist.example/"
    (home / ".npmrc").unlink()
    del layers["NPM_CONFIG_REGISTRY"]
    (project / ".npmrc").unlink()
    assert load(project, env=layers).registry == "https://global.example/"


def test_user_file_by_environment(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("registry=https://elsewhere.example\n")
    config = load(env=env(home, npm_config_userconfig=str(tmp_path / "elsewhere")))
    assert config.registry_for("x") == "https://elsewhere.example/"


def test_scopes_have_their_own_registry_and_an_override_leaves_them(home: Path) -> None:
    (home / ".npmrc").write_text("registry=https://r.example/\n@mine:registry=https://mine.example/npm\n")
    config = load(env=env(home), registry="https://watchlist.example")
    assert config.registry_for("@mine/x") == "https://mine.example/npm/"
    assert config.registry_for("@other/x") == config.registry_for("x") == "https://watchlist.example/"


def test_no_registry_says_what_to_do(home: Path) -> None:
    with pytest.raises(Unobservable, match="no registry is configured for left-pad") as caught:
        load(env=env(home)).registry_for("left-pad")
    assert "npm_config_registry" in caught.value.remedy


@pytest.mark.parametrize(
    ("key", "url", "sent"),
    [
        ("//r.example/", "https://r.example/left-pad", True),
        ("//r.example/", "https://r.example/deep/down/x.tgz", True),
        ("//r.example/npm/", "https://r.example/npm/left-pad", True),
        ("//r.example/npm/", "https://r.example/other/left-pad", False),
        ("//r.example/npm/", "https://r.example/npmx/left-pad", False),
        ("//r.example", "https://r.example/left-pad", True),
        ("//r.example/", "https://r.example:8443/left-pad", False),
        ("//r.example:8443/", "https://r.example:8443/left-pad", True),
        ("//r.example/", "https://r.example:443/left-pad", True),
        ("//r.example/", "https://r.example.evil.example/left-pad", False),
        ("//r.example/", "https://evil.example/r.example/left-pad", False),
        ("//r.example/", "https://evil-r.example/left-pad", False),
        ("//[::1]:4873/", "http://[::1]:4873/left-pad", True),
    ],
)
def test_a_token_belongs_to_a_place(home: Path, key: str, url: str, sent: bool) -> None:
    config = configured(home, f"{key}:_authToken={TOKEN}\n")
    assert bearer(config, url) == (f"Bearer {TOKEN}" if sent else "")


def test_the_longest_place_wins(home: Path) -> None:
    config = configured(home, "//r.example/:_authToken=outer\n//r.example/npm/:_authToken=inner\n")
    assert bearer(config, "https://r.example/npm/x") == "Bearer inner"
    assert bearer(config, "https://r.example/x") == "Bearer outer"


def test_basic_forms(home: Path) -> None:
    password = base64.b64encode(b"p:w").decode()
    wanted = "Basic " + base64.b64encode(b"me:p:w").decode()
    assert (
        bearer(configured(home, f"//r.example/:username=me\n//r.example/:_password={password}\n"), "https://r.example/x")
        == wanted
    )
    assert bearer(configured(home, "//r.example/:_auth=bWU6cA==\n"), "https://r.example/x") == "Basic bWU6cA=="


def test_environment_forms(home: Path) -> None:
    config = load(env=env(home, **{"npm_config_//r.example/:_authToken": TOKEN, "npm_config_@s:registry": "https://s.example/"}))
    assert bearer(config, "https://r.example/x") == f"Bearer {TOKEN}"
    assert config.registry_for("@s/x") == "https://s.example/"


def test_a_token_out_of_a_variable(home: Path) -> None:
    text = "//r.example/:_authToken=${NPM_TOKEN}\n"
    assert bearer(configured(home, text, NPM_TOKEN=TOKEN), "https://r.example/x") == f"Bearer {TOKEN}"
    unset = configured(home, text)
    assert bearer(unset, "https://r.example/x") == ""
    assert unset.missing_variable("https://r.example/x") == "NPM_TOKEN"


def test_a_token_with_a_line_break_is_no_token(home: Path) -> None:
    config = configured(home, '//r.example/:_authToken="a\\r\\nX-Evil: 1"\n')
    assert bearer(config, "https://r.example/x") == ""


def test_a_user_in_the_registry_becomes_a_credential(home: Path) -> None:
    config = configured(home, "registry=https://me:hunter2@r.example/npm/\n")
    assert config.registry_for("x") == "https://r.example/npm/"
    assert bearer(config, "https://r.example/npm/x") == "Basic " + base64.b64encode(b"me:hunter2").decode()
    assert bearer(config, "https://r.example/else/x") == ""
    assert "hunter2" not in repr(config)


def test_nothing_secret_shows(home: Path) -> None:
    config = configured(
        home,
        f"//r.example/:_authToken={TOKEN}\nproxy=http://me:{TOKEN}@p.example:8080/\nregistry=https://u:{TOKEN}@r.example/\n",
    )
    for shown in (repr(config), str(config), repr(config.authorization("https://r.example/")), f"{config.proxy}"):
        assert TOKEN not in shown


def test_proxies(home: Path) -> None:
    def used(config: NpmConfig, url: str) -> str:
        proxy = config.proxy_for(url)
        return proxy.reveal() if proxy else ""

    plain = load(env=env(home, HTTPS_PROXY="http://s.example", HTTP_PROXY="http://h.example", NO_PROXY="internal.example,.corp"))
    assert used(plain, "https://r.example/x") == "http://s.example"
    assert used(plain, "http://r.example/x") == "http://h.example"
    assert used(plain, "https://a.internal.example/x") == used(plain, "https://r.corp/x") == ""
    assert used(plain, "https://notinternal.example/x") == "http://s.example"
    own = configured(home, "https-proxy=http://own.example\nnoproxy=r.example\n", HTTPS_PROXY="http://s.example")
    assert used(own, "https://other.example/x") == "http://own.example"
    assert used(own, "https://r.example/x") == ""
    assert used(configured(home, "proxy=http://own.example\nnoproxy=*\n"), "https://r.example/x") == ""


def test_numbers_and_authorities(home: Path) -> None:
    config = configured(
        home, "fetch-retries=7\nfetch-timeout=5000\nstrict-ssl=false\ncafile=/ca.pem\n", NODE_EXTRA_CA_CERTS="/more.pem"
    )
    assert (config.retries, config.timeout, config.strict_ssl) == (7, 5.0, False)
    assert (config.ca_file, config.extra_ca_file) == ("/ca.pem", "/more.pem")
    odd = configured(home, "fetch-retries=many\nfetch-timeout=-1\n")
    assert odd.retries == 3 and odd.timeout > 0
    assert configured(home, "", REQUESTS_CA_BUNDLE="/env.pem").ca_file == "/env.pem"


@pytest.mark.parametrize("text", ["\0\0\0", "[[[[", "=" * 1000, "${" * 500, "//:_authToken=x", "registry=http://[", "\\" * 99])
def test_a_broken_file_is_never_a_crash(home: Path, text: str) -> None:
    config = configured(home, text)
    assert config.authorization("https://r.example/x") is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:secret@r.example/x?token=secret#secret", "https://r.example/x"),
        ("https://secret@r.example:8443/x", "https://r.example:8443/x"),
        ("https://[::1]:1/x", "https://[::1]:1/x"),
        ("https://[secret", "(an unreadable URL)"),
    ],
)
def test_redact(url: str, shown: str) -> None:
    assert redact(url) == shown


def fake_npm(folder: Path, answer: str) -> Path:
    folder.mkdir(exist_ok=True)
    npm = folder / "npm"
    npm.write_text(f"#!/bin/sh\necho asked >> {folder}/log\necho '{answer}'\n")
    npm.chmod(0o755)
    return folder


def asked(folder: Path) -> int:
    log = folder / "log"
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_npm_is_asked_once_until_a_file_changes(home: Path, tmp_path: Path, cache: Path) -> None:
    tools = fake_npm(tmp_path / "tools", "https://told.example/")
    where = {**env(home), "PATH": str(tools)}
    for _ in range(2):
        assert ask.configure(tmp_path, cache, env=where).registry == "https://told.example/"
    assert asked(tools) == 1
    (home / ".npmrc").write_text("fetch-retries=1\n")
    assert ask.configure(tmp_path, cache, env=where).registry == "https://told.example/"
    assert asked(tools) == 2
    (home / ".npmrc").write_text("registry=https://file.example/\n")
    assert ask.configure(tmp_path, cache, env=where).registry == "https://file.example/"
    assert asked(tools) == 2


def test_a_password_that_npm_tells_is_not_cached(home: Path, tmp_path: Path, cache: Path) -> None:
    tools = fake_npm(tmp_path / "tools", "https://me:hunter2@told.example/")
    config = ask.configure(tmp_path, cache, env={**env(home), "PATH": str(tools)})
    assert config.registry == "https://told.example/"
    assert bearer(config, "https://told.example/x").startswith("Basic ")
    assert not [path for path in cache.rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]


@pytest.mark.parametrize("answer", ["undefined", "", "ftp://x", "a b c"])
def test_an_npm_that_talks_nonsense(home: Path, tmp_path: Path, cache: Path, answer: str) -> None:
    tools = fake_npm(tmp_path / "tools", answer)
    config = ask.configure(tmp_path, cache, env={**env(home), "PATH": str(tools)})
    with pytest.raises(Unobservable, match="no registry"):
        config.registry_for("x")


def test_the_dart_of_a_url() -> None:
    assert npmrc.nerf_dart("https://R.example:443/a/b") == "//r.example/a/b"
    assert npmrc.nerf_dart("http://r.example:8080") == "//r.example:8080/"
