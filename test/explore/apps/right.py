"""A right application in Python: it dedupes by state, and works on a file of orders."""
import base64, hashlib, hmac, json, os, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENV = os.environ
FILE = os.path.join(ENV["PAYSIM_APP_DATA"], "orders.json")
KEY = base64.b64decode(ENV["PAYSIM_WEBHOOK_SECRET"].removeprefix("whsec_"))
PAIR = f'{ENV["PAYSIM_PUBLIC_KEY"]}:{ENV["PAYSIM_SECRET_KEY"]}'
AUTHORIZATION = "Basic " + base64.b64encode(PAIR.encode()).decode()
LOCK = threading.Lock()
ORDERS = json.load(open(FILE)) if os.path.exists(FILE) else {}


def save():
    with open(FILE + ".new", "w") as file:
        json.dump(ORDERS, file)
    os.replace(FILE + ".new", FILE)


def is_signed(headers, body):
    stamp = headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(stamp)) > 300:
        return False
    text = f'{headers.get("webhook-id")}.{stamp}.'.encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(KEY, text, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one, wanted) for one in headers.get("webhook-signature", "").split(" "))


def call(method, path, body=None, key=""):
    for left in range(4, -1, -1):
        headers = {"authorization": AUTHORIZATION, "content-type": "application/json", "idempotency-key": key}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(ENV["PAYSIM_BASE_URL"] + path, data, headers, method=method)
        wait = 0.1
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                return None
            wait = float(error.headers.get("retry-after") or wait)
        except OSError:
            pass
        if left:
            time.sleep(wait)
    return None


def settle(order, outcome):
    """The one guard for the webhook and for the payer who comes back."""
    with LOCK:
        if order["status"] != "pending":
            return
        if outcome == "succeeded":
            order.update(status="paid", shipments=order["shipments"] + 1)
        elif outcome == "failed":
            order["status"] = "failed"
        save()


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        _, _, reference, *more = self.path.split("/")
        with LOCK:
            order = ORDERS.get(reference)
        if order and more == ["return"]:
            payment = call("GET", "/payment_intents/" + order["payment"]) or {}
            settle(order, payment.get("status"))
        self.answer(200 if order else 404, order or {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if self.path == "/orders":
            return self.create(json.loads(body))
        if not is_signed(self.headers, body):
            return self.answer(401, {})
        event = json.loads(body)
        with LOCK:
            order = ORDERS.get(event["data"]["merchant_reference"])
        if order:
            settle(order, event["type"].split(".")[1])
        self.answer(200, {})

    def create(self, wanted):
        reference = wanted["reference"]
        with LOCK:
            order = ORDERS.setdefault(reference, {"reference": reference, "status": "pending", "shipments": 0})
            save()
        back = {"checkout_mode": "hosted", "return_url": f'http://127.0.0.1:{ENV["PORT"]}/orders/{reference}/return'}
        payment = call("POST", "/payment_intents", {
            **(back if wanted.get("hosted") else {"checkout_mode": "merchant"}),
            "amount": wanted["amount"], "currency": "THB", "country": "TH",
            "payment_method": wanted.get("method", "th_promptpay"), "merchant_reference": reference,
            "customer": {"name": "Somchai Jaidee"},
        }, reference)
        with LOCK:
            order["payment"] = payment and payment["id"]
            save()
        self.answer(201 if payment else 502, order)


ThreadingHTTPServer(("127.0.0.1", int(ENV["PORT"])), Shop).serve_forever()
