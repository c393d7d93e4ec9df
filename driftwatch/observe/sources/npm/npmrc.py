"""npm's own configuration, as npm reads it: which registry, which token for which URL, which proxy and CA.

Layers, strongest first: ``npm_config_*`` in the environment, the project's ``.npmrc``, the user's, the global one, the one
npm ships. The rules (ini syntax, ``${VAR}`` expansion, "nerf dart" credentials) are those of npm's ``@npmcli/config``,
``ini`` and ``npm-registry-fetch``. Secrets live in ``Secret`` and are revealed only where a request is made.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar
from urllib.parse import unquote, urlsplit

from driftwatch.errors import Unobservable
from driftwatch.observe.sources.npm.ini import expand, parse
from driftwatch.observe.sources.secret import Secret, host_of, redact

_CREDENTIAL = re.compile(r"^(//.+?):(_authToken|_auth|username|_password)$")
_UNSET = re.compile(r"\$\{([^${}]+)\}")
_T = TypeVar("_T")
_LARGEST = 1024 * 1024  # bytes of a file that are read


def nerf_dart(url: str) -> str:
    """``//host[:port]/path``, the key npm files credentials under; the port only when it is not the scheme's own."""
    parts = urlsplit(url)
    return f"//{host_of(parts.scheme, parts.hostname or '', parts.port)}{parts.path or '/'}"


@dataclass(frozen=True)
class NpmConfig:
    """What npm is told. ``registry`` is "" when no layer names one. URLs hold no user or password: those are credentials."""

    registry: str = ""
    scopes: Mapping[str, str] = field(default_factory=dict)  # "@scope" -> registry
    credentials: Mapping[str, Secret] = field(default_factory=dict, repr=False)  # nerf dart -> Authorization header
    proxy: Secret = field(default_factory=lambda: Secret(""))
    http_proxy: Secret = field(default_factory=lambda: Secret(""))
    no_proxy: tuple[str, ...] = ()
    ca_file: str = ""
    ca: tuple[str, ...] = ()  # PEM texts
    extra_ca_file: str = ""
    strict_ssl: bool = True
    retries: int = 3
    timeout: float = 120.0  # seconds for one whole request
    files: tuple[Path, ...] = ()  # every layer looked at, whether it is there or not
    unset: Mapping[str, str] = field(default_factory=dict)  # nerf dart -> environment variable its credential lacks

    def registry_for(self, name: str) -> str:
        """The registry of a package, with a closing slash. Raises Unobservable when nothing names one."""
        url = self._configured(name)
        if not url:
            raise Unobservable(
                f"no registry is configured for {name}",
                "install npm, or set npm_config_registry, or write registry=URL into .npmrc, or registry: into the watchlist",
            )
        if not _is_url(url):
            raise Unobservable(
                f"the registry configured for {name} is not a URL", "it begins with https://; `driftwatch doctor` shows it"
            )
        return url.rstrip("/") + "/"

    def shown(self, name: str) -> str:
        """What is configured as the registry of a package, for a person to see: no secrets, whether it is a URL or not."""
        return redact(self._configured(name))

    def _configured(self, name: str) -> str:
        scope = name.partition("/")[0] if name.startswith("@") else ""
        return self.scopes.get(scope) or self.registry

    def authorization(self, url: str) -> Secret | None:
        """The Authorization header npm would send to ``url``: that of the longest matching ``//host/path/`` prefix."""
        return _longest(self.credentials, url)

    def missing_variable(self, url: str) -> str:
        """The name of the unset environment variable that the credential for ``url`` is written with, or ""."""
        return _longest(self.unset, url) or ""

    def proxy_for(self, url: str) -> Secret | None:
        """The proxy for ``url``, or None. ``noproxy`` names are suffixes at a dot, as npm reads them; ``*`` is everything."""
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().split(".")[::-1]
        for name in self.no_proxy:
            wanted = [part for part in name.lower().split(":")[0].split(".") if part][::-1]
            if name == "*" or (wanted and host[: len(wanted)] == wanted):
                return None
        return (self.proxy if parts.scheme == "https" else self.http_proxy) or None


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _longest(table: Mapping[str, _T], url: str) -> _T | None:
    key = nerf_dart(url)
    while len(key) > 2:
        if key in table:
            return table[key]
        key = re.sub(r"([^/]+|/)$", "", key)
    return None


def load(
    project: Path | None = None,
    *,
    registry: str = "",
    env: Mapping[str, str] | None = None,
    home: Path | None = None,
) -> NpmConfig:
    """npm's configuration for ``project`` (the folder whose .npmrc counts). ``registry`` (the watchlist's) beats the
    default one, never a scope's. Never fails on a broken file: npm does not either.
    """
    env = os.environ if env is None else env
    layers = _Layers(env, project, home or Path(env.get("HOME") or Path.home()))
    return _build(layers, env, registry)


class _Layers:
    """The settings of every layer, strongest first."""

    def __init__(self, env: Mapping[str, str], project: Path | None, home: Path) -> None:
        self.env, self.files = env, []  # type: Mapping[str, str], list[Path]
        self.tables: list[Mapping[str, str | list[str]]] = [_from_env(env)]
        if project is not None:
            self._read(project / ".npmrc")
        self._read(Path(self.text("userconfig") or home / ".npmrc"))
        self._read(_global_file(self))
        if npm := which("npm", env):
            self._read(Path(npm).resolve().parent.parent / "npmrc")

    def _read(self, path: Path) -> None:
        if path in self.files:
            return
        self.files.append(path)
        try:
            if not path.is_file():  # a pipe would be waited for, a device never ends
                return
            with path.open("rb") as file:
                text = file.read(_LARGEST).decode("utf-8", "replace")
        except (OSError, ValueError):
            return
        self.tables.append(expand(parse(text), self.env))

    def get(self, key: str) -> str | list[str] | None:
        return next((table[key] for table in self.tables if key in table), None)

    def text(self, key: str) -> str:
        value = self.get(key)
        return value if isinstance(value, str) and value != "null" else ""

    def merged(self) -> dict[str, str]:
        flat: dict[str, str] = {}
        for table in reversed(self.tables):
            flat.update({key: value for key, value in table.items() if isinstance(value, str)})
        return flat


def which(program: str, env: Mapping[str, str]) -> str | None:
    """Where the environment's PATH finds a program (``shutil`` takes longer to import than all of this)."""
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, program)  # noqa: PTH118 - many folders, few hits
        if folder and os.access(path, os.X_OK) and os.path.isfile(path):  # noqa: PTH113
            return path
    return None


def _from_env(env: Mapping[str, str]) -> dict[str, str | list[str]]:
    table: dict[str, str | list[str]] = {}
    for name, value in env.items():
        if name[:11].lower() != "npm_config_" or not value:
            continue
        key = name[11:]
        table[key if key.startswith("//") else key[:1].lower() + key[1:].replace("_", "-").lower()] = value
    return table


def _global_file(layers: _Layers) -> Path:
    if named := layers.text("globalconfig"):
        return Path(named)
    prefix = layers.text("prefix") or layers.env.get("PREFIX", "")
    if not prefix:
        node = which("node", layers.env)
        prefix = str(Path(node).resolve().parent.parent) if node else "/usr/local"
    own = Path(prefix) / "etc" / "npmrc"
    return own if own.exists() else Path("/etc/npmrc")  # where distributions whose prefix is /usr put it


def _build(layers: _Layers, env: Mapping[str, str], override: str) -> NpmConfig:
    merged = layers.merged()
    credentials, unset = _credentials(merged)
    scopes = {}
    for key, value in merged.items():
        if key.startswith("@") and key.endswith(":registry") and value:
            scopes[key.removesuffix(":registry")] = _without_user(value, credentials)
    proxy = layers.text("https-proxy") or layers.text("proxy")
    ca = layers.get("ca")
    return NpmConfig(
        registry=_without_user(override or layers.text("registry"), credentials),
        scopes=MappingProxyType(scopes),
        credentials=MappingProxyType(credentials),
        proxy=Secret(proxy or _first(env, "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "PROXY", "proxy")),
        http_proxy=Secret(proxy or _first(env, "HTTP_PROXY", "http_proxy", "PROXY", "proxy")),
        no_proxy=_names(layers.get("noproxy") or _first(env, "NO_PROXY", "no_proxy")),
        ca_file=layers.text("cafile") or _first(env, "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"),
        ca=tuple(pem.replace("\\n", "\n") for pem in ([ca] if isinstance(ca, str) else ca or ()) if "BEGIN" in pem),
        extra_ca_file=env.get("NODE_EXTRA_CA_CERTS", ""),
        strict_ssl=layers.text("strict-ssl").lower() != "false",
        retries=int(_number(layers.text("fetch-retries"), 3, 10)),
        timeout=_number(layers.text("fetch-timeout"), 120_000, 600_000) / 1000 or 600.0,
        files=tuple(layers.files),
        unset=MappingProxyType(unset),
    )


def _credentials(merged: Mapping[str, str]) -> tuple[dict[str, Secret], dict[str, str]]:
    """Authorization headers by nerf dart, and the darts whose secret names an environment variable that is not set."""
    parts: dict[str, dict[str, str]] = {}
    unset: dict[str, str] = {}
    for key, value in merged.items():
        if not (match := _CREDENTIAL.match(key)) or not value:
            continue
        if missing := _UNSET.search(value):
            unset[match[1]] = missing[1].rstrip("?")
        else:
            parts.setdefault(match[1], {})[match[2]] = value
    headers = {dart: _header(found) for dart, found in parts.items()}
    return {dart: Secret(header) for dart, header in headers.items() if header}, unset


def _header(found: Mapping[str, str]) -> str:
    if token := found.get("_authToken"):
        header = f"Bearer {token}"
    elif auth := found.get("_auth"):
        header = f"Basic {auth}"
    elif "username" in found and "_password" in found:
        try:
            password = base64.b64decode(found["_password"]).decode("utf-8", "replace")
        except ValueError:
            return ""
        header = _basic(found["username"], password)
    else:
        return ""
    return header if header.isascii() and header.isprintable() else ""  # a header is no place for line breaks


def _basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")


def _without_user(url: str, credentials: dict[str, Secret]) -> str:
    """``url`` without ``user:password@``, which becomes a credential for what lies under it."""
    try:
        parts = urlsplit(url.strip())
        if not parts.hostname:
            return url.strip()
        clean = parts._replace(netloc=host_of(parts.scheme, parts.hostname, parts.port), query="", fragment="").geturl()
    except ValueError:
        return ""
    if parts.username is not None:
        dart = nerf_dart(clean.rstrip("/") + "/")
        credentials.setdefault(dart, Secret(_basic(unquote(parts.username), unquote(parts.password or ""))))
    return clean


def _first(env: Mapping[str, str], *names: str) -> str:
    return next((env[name] for name in names if env.get(name)), "")


def _names(value: str | Iterable[str]) -> tuple[str, ...]:
    listed = value.split(",") if isinstance(value, str) else value
    return tuple(name.strip() for name in listed if name.strip())


def _number(text: str, default: float, most: float) -> float:
    try:
        return min(max(float(text), 0), most) if text else default
    except ValueError:
        return default
