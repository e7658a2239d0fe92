"""Run with `paysim exec -- pytest`, or with `pytest` alone, which starts paysim.

`paysim client python --out paysim.py` makes the client.
"""
import pytest
from paysim import Account, PaymentIntent, PaysimError, paysim_account

__all__ = ["paysim_account"]  # In a larger suite, conftest.py imports the fixture.


def create(account: Account) -> PaymentIntent:
    return account.merchant.create_payment(
        amount="25000",
        currency="THB",
        country="TH",
        checkout_mode="merchant",
        merchant_reference="order-1",
        payment_method="th_promptpay",
        customer={},
    )


def test_the_payer_pays_and_the_shop_gets_a_webhook(paysim_account: Account) -> None:
    account = paysim_account
    payment = create(account)
    account.succeed_payment(payment["id"])

    event = account.webhooks.next("payment.succeeded", id=payment["id"])
    assert event["data"]["status"] == "succeeded"


def test_nobody_pays_and_the_payment_expires(paysim_account: Account) -> None:
    account = paysim_account
    account.add_rules(rules=[{"expiry": "30m"}])
    payment = create(account)
    account.advance_clock(by="30m")

    assert account.merchant.get_payment(payment["id"])["status"] == "expired"


def test_a_payment_succeeds_once(paysim_account: Account) -> None:
    account = paysim_account
    payment = create(account)
    account.succeed_payment(payment["id"])

    with pytest.raises(PaysimError) as refused:
        account.fail_payment(payment["id"])
    assert (refused.value.status, refused.value.code) == (422, "invalid_state")
