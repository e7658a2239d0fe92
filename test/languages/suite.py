"""What the client in Python can do, with pytest."""
from __future__ import annotations

import hashlib
import http.client
import threading
import urllib.error
import urllib.request
from base64 import b64decode
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from paysim import Account, PaysimError, Simulator, WebhookError, paysim_account

__all__ = ["paysim_account"]

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)


def create(account: Account, **changes: Any) -> str:
    order = {
        "amount": "25000",
        "currency": "THB",
        "country": "TH",
        "checkout_mode": "merchant",
        "merchant_reference": "order-1",
        "payment_method": "th_promptpay",
        "customer": {},
    }
    return account.merchant.create_payment(**{**order, **changes})["id"]


def test_calls_of_the_merchant_api(paysim_account: Account) -> None:
    merchant = paysim_account.merchant
    options = merchant.list_payment_methods(
        amount="25000", country="TH", currency="THB"
    )
    assert "th_promptpay" in [each["code"] for each in options["methods"]]

    id = create(paysim_account, idempotency_key="key-1")
    assert create(paysim_account, idempotency_key="key-1") == id
    assert merchant.get_payment(id)["status"] == "pending"
    merchant.cancel_payment(id)
    paysim_account.confirm_cancel_payment(id)
    assert merchant.get_payment(id)["status"] in ("failed", "expired")

    for reference in ("a", "b & c"):
        paysim_account.create_payout(
            amount="100",
            currency="THB",
            country="TH",
            merchant_reference=reference,
            recipient={
                "bank_code": "bbl",
                "holder_name": "A",
                "account_number": "1234",
            },
        )
    page = merchant.list_payouts(limit=1, status=["requires_approval", "failed"])
    assert (page["has_more"], page["data"][0]["merchant_reference"]) == (True, "b & c")
    cancelled = merchant.cancel_payout(page["data"][0]["id"], reason="typing error")
    assert cancelled["status"] == "cancelled"
    assert merchant.list_payouts(merchant_reference="b & c")["data"][0] == cancelled


def test_receipts_of_the_merchant_and_of_the_payer(paysim_account: Account) -> None:
    account = paysim_account
    account.replace_rules(
        rules=[{"receipt": [{"verdict": "reject"}, {"verdict": "accept"}]}]
    )
    id = create(
        account,
        payment_method="th_bank_transfer",
        payment_method_options={"bank": "bbl"},
        customer={"name": "A"},
    )
    account.merchant.submit_receipt(id, file=PNG)
    account.advance_clock(until="idle", max="1m")
    receipt = account.merchant.get_payment(id)["receipt"]
    assert receipt is not None and receipt["status"] == "rejected"

    asset = account.upload_asset(file=PNG, kind="payment_receipt")
    assert account.read_image(asset["digest"]) == PNG
    assert asset["digest"] == hashlib.sha256(PNG).hexdigest()
    account.merchant.submit_receipt(id, asset_id=asset["id"])

    other = create(account, checkout_mode="hosted", payment_method=None)
    account.choose_method(
        other, method="th_bank_transfer", bank="bbl", customer_name="A"
    )
    sent = account.send_receipt(other, file=PNG)
    assert sent["receipt"] and sent["receipt"]["status"] == "rejected"


def test_the_payer_returns_to_the_shop(paysim_account: Account) -> None:
    class Shop(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(303)
            self.send_header("Location", "/thanks?order=1")
            self.end_headers()

    shop = HTTPServer(("127.0.0.1", 0), Shop)
    threading.Thread(target=shop.handle_request, daemon=True).start()
    url = f"http://127.0.0.1:{shop.server_port}/back"
    hosted = {"checkout_mode": "hosted", "payment_method": None, "return_url": url}
    id = create(paysim_account, **hosted)
    paysim_account.choose_method(id, method="th_promptpay")
    paysim_account.succeed_payment(id)
    page = paysim_account.return_to_shop(id)
    assert page == {"status": 303, "location": "/thanks?order=1"}


def test_faults_and_refusals(paysim_account: Account) -> None:
    account = paysim_account
    account.replace_faults(
        faults=[
            {
                "on": "GET /payment_intents/:id",
                "type": "status",
                "status": 503,
                "times": 1,
            },
            {"on": "GET /payment_intents/:id", "type": "garbage", "times": 1},
            {"on": "GET /payment_intents/:id", "type": "reset", "times": 1},
        ]
    )
    id = create(account)
    with pytest.raises(PaysimError, match="GET /payment_intents/pi_.*: 503 ") as failed:
        account.merchant.get_payment(id)
    assert failed.value.status == 503
    with pytest.raises((PaysimError, http.client.HTTPException)):
        account.merchant.get_payment(id)
    with pytest.raises(OSError):
        account.merchant.get_payment(id)
    account.clear_faults()

    with pytest.raises(PaysimError) as refused:
        create(account, amount="-1", country="th")
    assert {each["field"] for each in refused.value.details} == {"amount", "country"}
    for strange in ("..", ".", "a/b", "ä ?#%"):
        with pytest.raises(PaysimError) as unknown:
            account.merchant.get_payment(strange)
        assert (unknown.value.status, unknown.value.code) == (404, "not_found")


def test_webhooks_are_repeated_until_they_are_taken(paysim_account: Account) -> None:
    account = paysim_account
    account.webhooks.respond(500)
    id = create(account)
    account.fail_payment(id, failure_code="declined")
    first = account.webhooks.next("payment.failed", id=id)
    account.webhooks.respond(204)
    account.advance_clock(until="idle", max="1d")
    assert account.webhooks.next("payment.failed") == first
    assert first["data"]["failure_code"] == "declined"
    assert {each.event["id"] for each in account.webhooks.all()} == {first["id"]}
    statuses = [each["status"] for each in account.list_deliveries()["data"]]
    assert statuses == ["delivered"]


def test_a_forged_webhook_is_refused(paysim_account: Account) -> None:
    account = paysim_account
    account.replace_faults(
        faults=[{"on": "webhook", "type": "bad_signature", "times": 1}]
    )
    forged = create(account)
    account.succeed_payment(forged)
    with pytest.raises(WebhookError, match="signature"):
        account.webhooks.next("payment.succeeded")
    account.advance_clock(by="1h")
    for attempt in account.list_deliveries()["data"][0]["attempts"]:
        assert attempt["response"] and attempt["response"]["status"] == 400
    right = create(account)
    account.succeed_payment(right)
    assert account.webhooks.next("payment.succeeded")["data"]["id"] == right
    for headers in ({}, {"webhook-id": "evt_1"}):
        post = urllib.request.Request(account.webhooks.url, b'{"id": "evt_1"}', headers)
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(post)
    with pytest.raises(
        TimeoutError, match="payment.failed.*received: payment.succeeded"
    ):
        account.webhooks._untaken.clear()
        account.webhooks.next("payment.failed", timeout=0.01)


def test_a_webhook_that_comes_after_the_end_of_its_account_is_refused(
    capfd: pytest.CaptureFixture[str],
) -> None:
    simulator = Simulator.shared()
    account = simulator.create_account()
    simulator.remove_merchant(account.id.rsplit(".", 1)[0])
    with pytest.raises(urllib.error.HTTPError, match="410"):
        urllib.request.urlopen(account.webhooks.url, b"{}")
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "paysim_account",
    [{"environment": "live", "rules": [{"expiry": "2h"}]}],
    indirect=True,
)
def test_the_fixture_takes_settings(paysim_account: Account) -> None:
    assert paysim_account.id.endswith(".live")
    assert [each.get("expiry") for each in paysim_account.read_rules()["rules"]] == [
        "2h"
    ]
    assert paysim_account.read_clock()["mode"] == "virtual"


def test_an_account_is_exported_and_imported(paysim_account: Account) -> None:
    id = create(paysim_account, customer={"name": 'ä "quoted" \u2028'})
    with Simulator.shared().create_account() as other:
        other.import_account(**paysim_account.export_account())
        assert other.read_payment(id)["customer"] == {"name": 'ä "quoted" \u2028'}


def test_an_account_that_exists_is_opened_and_kept() -> None:
    simulator = Simulator.shared()
    with simulator.open_account("default.test") as account:
        id = create(account)
        account.succeed_payment(id)
        account.webhooks.next("payment.succeeded", id=id)
    with simulator.open_account("default.test") as again:
        assert again.read_payment(id)["status"] == "succeeded"
        assert len(again.list_endpoints()["data"]) == 1
    merchants = [each["id"] for each in simulator.list_merchants()["data"]]
    assert merchants == ["default"]
    assert "paysim_requests_total" in simulator.read_metrics()
    assert simulator.request("GET", "/ready") == {"status": "ready"}
