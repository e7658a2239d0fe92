"""Tests a shop with unittest, as a suite in a repository would. SHOP is the command that starts the shop, in JSON."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

ENV = os.environ


def ask(method, url, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def control(method, path, body=None):
    return ask(method, ENV["PAYSIM_CONTROL_URL"] + path, body, ENV["PAYSIM_CONTROL_TOKEN"])


class ShopTest(unittest.TestCase):
    """Each test has an account and a shop of its own."""

    def setUp(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        webhooks = [{"url": f"{self.url}/webhooks", "environment": "test"}]
        rules = [
            {"match": {"amount": "66600"}, "outcome": {"after": "30s", "status": "failed", "code": "declined"}},
            {"outcome": {"after": "20s", "status": "succeeded"}},
        ]
        merchant = control(
            "POST", "/merchants", {"clock": {"mode": "virtual"}, "webhooks": webhooks, "rules": rules}
        )
        [account] = [one for one in merchant["accounts"] if one["environment"] == "test"]
        self.account = f"/accounts/{account['id']}"
        [endpoint] = control("GET", f"{self.account}/webhook-endpoints")["data"]
        self.folder = tempfile.mkdtemp()
        env = {
            **ENV,
            "PORT": str(port),
            "PAYSIM_APP_DATA": self.folder,
            "PAYSIM_PUBLIC_KEY": account["public_key"],
            "PAYSIM_SECRET_KEY": account["secret_key"],
            "PAYSIM_WEBHOOK_SECRET": endpoint["secret"],
        }
        self.shop = subprocess.Popen(json.loads(ENV["SHOP"]), env=env)
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                self.assertIsNone(self.shop.poll(), "the shop has ended")
                time.sleep(0.02)

    def tearDown(self):
        self.shop.kill()
        self.shop.wait()
        shutil.rmtree(self.folder)

    def order(self, reference, amount):
        ask("POST", f"{self.url}/orders", {"reference": reference, "amount": amount})

    def later(self):
        control("POST", f"{self.account}/clock/advance", {"by": "1m"})

    def expect(self, reference, status, shipments):
        order = ask("GET", f"{self.url}/orders/{reference}")
        self.assertEqual((order["status"], order["shipments"]), (status, shipments))

    def test_a_paid_order_is_shipped_once(self):
        self.order("book", "25000")
        self.later()
        self.expect("book", "paid", 1)

    def test_a_declined_order_is_not_shipped(self):
        self.order("lamp", "66600")
        self.order("pen", "1000")
        self.later()
        self.expect("lamp", "failed", 0)
        self.expect("pen", "paid", 1)


if __name__ == "__main__":
    unittest.main()
