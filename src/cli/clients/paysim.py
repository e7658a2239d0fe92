"""Tests against paysim: a simulator, its accounts, both APIs and the webhooks.

Made by `paysim client python`. Do not change this file, make it again.
"""
from __future__ import annotations

import atexit
import base64
import hashlib
import hmac
import http.client
import json
import os
import shlex
import shutil
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Iterator, Literal, Mapping, Optional, TypedDict
from urllib.parse import quote, urlencode, urlsplit

if TYPE_CHECKING:
    from typing import NotRequired

# paysim: version


# paysim: types


class PaysimError(Exception):
    """A refused call, or an answer that is not JSON."""

    def __init__(self, call: str, status: int, body: bytes) -> None:
        self.status = status
        self.body = body
        self.code = ""
        self.message = body[:200].decode(errors="replace")
        self.details: list[dict[str, str]] = []
        try:
            answer = json.loads(body)
            error = answer.get("error", answer)
            self.code, self.message = error["code"], error["message"]
            self.details = error.get("details", [])
        except (ValueError, KeyError, AttributeError, TypeError):
            pass
        fields = "".join(
            f"; {each['field']}: {each['message']}" for each in self.details
        )
        super().__init__(f"{call}: {status} {self.code}: {self.message}{fields}")


class Calls:
    """Calls below one address."""

    def __init__(self, url: str, authorization: str) -> None:
        self.url = url.rstrip("/")
        self._authorization = authorization

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Any = None,
        form: Mapping[str, Any] | None = None,
        answer: Literal["json", "text", "bytes"] = "json",
    ) -> Any:
        """Makes any call. A member that is None is not sent."""
        sent = {"Authorization": self._authorization, **_given(headers)}
        content = None
        if _given(form):
            sent["Content-Type"], content = _multipart(_given(form))
            sent.setdefault("Idempotency-Key", str(uuid.uuid4()))
        elif body is not None:
            sent["Content-Type"] = "application/json"
            content = json.dumps(
                _given(body) if isinstance(body, dict) else body
            ).encode()
        search = urlencode(
            {
                name: value if isinstance(value, (str, int)) else ",".join(value)
                for name, value in _given(query).items()
            }
        )
        to = urlsplit(self.url)
        secure = to.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(to.hostname or "", to.port, timeout=300)
        try:
            target = to.path + path + (f"?{search}" if search else "")
            connection.request(method, target, content, sent)
            response = connection.getresponse()
            received = response.read()
        finally:
            connection.close()
        if not 200 <= response.status < 300:
            raise PaysimError(f"{method} {path}", response.status, received)
        if answer == "bytes":
            return received
        if answer == "text":
            return received.decode()
        if response.status == 204:
            return None
        try:
            return json.loads(received)
        except ValueError:
            raise PaysimError(f"{method} {path}", response.status, received) from None


def _given(members: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (members or {}).items() if value is not None}


def _segment(text: str) -> str:
    """A parameter in a path. Dots alone would be resolved on the way."""
    return text.replace(".", "%2E") if text in (".", "..") else quote(text, safe="")


def _multipart(form: Mapping[str, Any]) -> tuple[str, bytes]:
    boundary = uuid.uuid4().hex
    content = b""
    for name, value in form.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"'
        if isinstance(value, bytes):
            kind = "png" if value.startswith(b"\x89PNG") else "jpeg"
            head += f'; filename="receipt.{kind}"\r\nContent-Type: image/{kind}'
        else:
            value = str(value).encode()
        content += head.encode() + b"\r\n\r\n" + value + b"\r\n"
    return (
        f"multipart/form-data; boundary={boundary}",
        content + f"--{boundary}--\r\n".encode(),
    )


class MerchantCalls(Calls):
    """The merchant API, with the keys of one account."""

    # paysim: calls of the merchant API


class AccountCalls(Calls):
    """The control surface of one account: payer, provider, clock, rules, faults."""

    # paysim: calls of an account


class SimulatorCalls(Calls):
    """The control surface of the simulator as a whole."""

    # paysim: calls of the simulator


class Simulator(SimulatorCalls):
    """A running simulator. `Simulator.shared()` is the one of this process."""

    _shared: Simulator | None = None
    _lock = threading.Lock()

    def __init__(self, base_url: str, control_url: str, control_token: str) -> None:
        super().__init__(control_url, f"Bearer {control_token}")
        self.base_url = base_url
        self._process: subprocess.Popen[bytes] | None = None
        self._receiver: _Receiver | None = None
        version = self.health().get("version", "0")
        if _compatible(version) != _compatible(VERSION):
            raise RuntimeError(
                f"the simulator at {base_url} is paysim {version}, and this file was made by "
                f"{VERSION}: make it again with the paysim client python of that version"
            )

    @classmethod
    def shared(cls) -> Simulator:
        """The simulator of `paysim exec`, or else one that is started once."""
        with cls._lock:
            if cls._shared is None:
                control_url = os.environ.get("PAYSIM_CONTROL_URL")
                cls._shared = cls.start() if control_url is None else cls.found()
        return cls._shared

    @classmethod
    def found(cls) -> Simulator:
        """The simulator that the environment names, as `paysim exec` does it."""
        return cls(
            os.environ["PAYSIM_BASE_URL"],
            os.environ["PAYSIM_CONTROL_URL"],
            os.environ["PAYSIM_CONTROL_TOKEN"],
        )

    @classmethod
    def start(cls, *options: str) -> Simulator:
        """Starts `paysim serve`, in memory. It ends with this process."""
        named = os.environ.get("PAYSIM_COMMAND") or "paysim"
        # A path may have blanks; anything else is split as a shell would.
        words = [named] if shutil.which(named) else shlex.split(named)
        program = shutil.which(words[0])
        if program is None:
            raise RuntimeError(
                "there is no paysim on the PATH: install it, name it in PAYSIM_COMMAND, "
                "or run the tests by paysim exec"
            )
        process = subprocess.Popen(
            [
                program,
                *words[1:],
                "serve",
                "--ephemeral",
                "--port=0",
                "--json",
                "--stop-with-stdin",
                *options,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        process.stdout.close()
        if not line:
            raise RuntimeError(
                f"paysim serve ended with {process.wait()}; stderr says why"
            )
        ready = json.loads(line)
        simulator = cls(ready["url"], ready["control_url"], ready["control_token"])
        simulator._process = process
        atexit.register(simulator.stop)
        return simulator

    def stop(self) -> None:
        """Stops the simulator, if it was started here."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()

    def create_account(
        self,
        *,
        environment: Literal["test", "live"] = "test",
        clock: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> Account:
        """A new merchant with a webhook receiver. Its clock is virtual by default.

        The settings are those of `create_merchant`, such as `rules=[...]`.
        """
        path = f"/{uuid.uuid4()}"
        webhooks = [{"url": self._receive().url + path, "environment": environment}]
        clock = clock or {"mode": "virtual"}
        body = {"clock": clock, "webhooks": webhooks, **settings}
        merchant = self.request("POST", "/merchants", body=body)
        account = Account(self, merchant, environment, path)
        account._leave = lambda: self.remove_merchant(merchant["id"])
        return account

    def open_account(self, id: str) -> Account:
        """An account that exists, such as `default.test`."""
        merchant, _, environment = id.rpartition(".")
        path = f"/{uuid.uuid4()}"
        account = Account(self, self.read_merchant(merchant), environment, path)
        endpoint = account.add_endpoint(url=self._receive().url + path)
        account._leave = lambda: account.remove_endpoint(endpoint["id"])
        return account

    def _receive(self) -> _Receiver:
        if self._receiver is None:
            self._receiver = _Receiver()
        return self._receiver


def _compatible(version: str) -> list[str]:
    """The part of a version that must be the same. Before 1.0, that is the minor one too."""
    major, *rest = version.split(".")
    return [major] if major != "0" else [major, *rest[:1]]


class Account(AccountCalls):
    """One merchant in one environment, seen from all sides."""

    def __init__(
        self,
        simulator: Simulator,
        merchant: MerchantRecord,
        environment: str,
        path: str,
    ) -> None:
        self.id = f"{merchant['id']}.{environment}"
        super().__init__(
            f"{simulator.url}/accounts/{self.id}", simulator._authorization
        )
        keys = next(each for each in merchant["accounts"] if each["id"] == self.id)
        self.public_key = keys["public_key"] or ""
        self.secret_key = keys["secret_key"] or ""
        pair = base64.b64encode(
            f"{self.public_key}:{self.secret_key}".encode()
        ).decode()
        self.merchant = MerchantCalls(simulator.base_url, f"Basic {pair}")
        self.webhooks = Webhooks(self, simulator._receive(), path)
        self._leave = lambda: None

    def close(self) -> None:
        """Removes the merchant, if it was created here, and its receiver."""
        self.webhooks._close()
        try:
            self._leave()
        except PaysimError as error:
            if error.status != 404:
                raise
        except OSError:
            pass  # The simulator is gone, and the account with it.

    def __enter__(self) -> Account:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class Webhook:
    """A webhook as it was received, and what is wrong with it."""

    headers: Mapping[str, str]
    body: bytes
    event: EventRecord
    problem: str | None


class WebhookError(Exception):
    """A webhook that this account's endpoint did not sign."""


class Webhooks:
    """The webhook receiver of one account. It answers 204, and 400 to a wrong signature."""

    def __init__(self, account: Account, receiver: _Receiver, path: str) -> None:
        self.url = receiver.url + path
        self._account, self._receiver, self._path = account, receiver, path
        self._received: list[Webhook] = []
        self._untaken: list[Webhook] = []
        self._arrived = threading.Condition()
        self._status = 204
        receiver.paths[path] = self

    def next(
        self, type: str | None = None, *, timeout: float = 10, **data: Any
    ) -> EventRecord:
        """The oldest event of this type that was not returned yet; waits for it.

        Keywords are members of its data, such as `id=payment["id"]`.
        """
        until = time.monotonic() + timeout
        with self._arrived:
            while True:
                for webhook in self._untaken:
                    if webhook.problem is None and not _matches(
                        webhook.event, type, data
                    ):
                        continue
                    self._untaken.remove(webhook)
                    if webhook.problem is not None:
                        raise WebhookError(f"a webhook is not valid: {webhook.problem}")
                    return webhook.event
                if not self._arrived.wait(until - time.monotonic()):
                    break
        came = ", ".join(str(each.event.get("type")) for each in self.all()) or "none"
        clock = self._account.read_clock()
        raise TimeoutError(
            f"no webhook {type or ''} {data or ''} within {timeout} s; received: {came}; the "
            f"{clock['mode']} clock is at {clock['now']}, the next timer at {clock['next_due']}"
        )

    def all(self) -> list[Webhook]:
        """All webhooks, in the order in which they came."""
        with self._arrived:
            return list(self._received)

    def respond(self, status: int) -> None:
        """Answers later webhooks with this status."""
        self._status = status

    def _take(self, headers: Mapping[str, str], body: bytes) -> int:
        try:
            endpoints = self._account.list_endpoints()["data"]
        except (PaysimError, OSError):
            return 410  # The account was closed, or the simulator, while this was sent.
        secrets = [each["secret"] for each in endpoints if each["url"] == self.url]
        problem, event = _verify(headers, body, secrets)
        webhook = Webhook(headers, body, event, problem)
        with self._arrived:
            # A refused webhook is sent again; one error for it is enough.
            if problem is None or not any(
                each.problem and each.event == event for each in self._received
            ):
                self._untaken.append(webhook)
            self._received.append(webhook)
            self._arrived.notify_all()
        return self._status if problem is None else 400

    def _close(self) -> None:
        self._receiver.paths.pop(self._path, None)


def _matches(event: EventRecord, type: str | None, data: Mapping[str, Any]) -> bool:
    if type is not None and event["type"] != type:
        return False
    subject: Mapping[str, Any] = event["data"]
    return all(subject.get(name) == value for name, value in data.items())


def _verify(
    headers: Mapping[str, str], body: bytes, secrets: list[str]
) -> tuple[str | None, Any]:
    """What is wrong with a webhook by the rules of Standard Webhooks, and its event."""
    event: Any = {}
    try:
        event = json.loads(body)
        id, at = headers["webhook-id"], headers["webhook-timestamp"]
        signatures = headers["webhook-signature"].split(" ")
        late = abs(time.time() - int(at)) > 300
    except (ValueError, KeyError, AttributeError):
        return "it is not JSON, or lacks a header of its signature", event
    for secret in secrets:
        key = base64.b64decode(secret[len("whsec_") :])
        signed = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
        expected = "v1," + base64.b64encode(signed).decode()
        if any(
            hmac.compare_digest(expected.encode(), each.encode()) for each in signatures
        ):
            break
    else:
        return "its signature is not one of this account's endpoint", event
    if late:
        return f"its timestamp {at} is stale", event
    return None if event["id"] == id else "its id is not that of its event", event


class _Receiver(ThreadingHTTPServer):
    """Receives the webhooks of all accounts, each at a path of its own."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Reception)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.paths: dict[str, Webhooks] = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Reception(BaseHTTPRequestHandler):
    server: _Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        webhooks = self.server.paths.get(self.path)
        status = 410 if webhooks is None else webhooks._take(self.headers, body)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


try:
    import pytest
except ModuleNotFoundError:
    pass  # Without pytest, there is no fixture.
else:

    @pytest.fixture
    def paysim_account(request: pytest.FixtureRequest) -> Iterator[Account]:
        """An account for one test. Indirect parameters are settings of the account."""
        settings = getattr(request, "param", {})
        with Simulator.shared().create_account(**settings) as account:
            yield account
