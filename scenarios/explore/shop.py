# The shop of shop.mjs, in Python.
import base64, hashlib, hmac, json, os, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENV = os.environ
SECRET = base64.b64decode(ENV["PAYSIM_WEBHOOK_SECRET"].removeprefix("whsec_"))
FILE = ENV["PAYSIM_APP_DATA"] + "/orders.json"
ORDERS = json.load(open(FILE)) if os.path.exists(FILE) else {}
LOCK = threading.Lock()


def save():
    with open(FILE + ".new", "w") as file:
        json.dump(ORDERS, file)
    os.replace(FILE + ".new", FILE)


def call_gateway(path, body, key):
    credentials = base64.b64encode(f"{ENV['PAYSIM_PUBLIC_KEY']}:{ENV['PAYSIM_SECRET_KEY']}".encode()).decode()
    headers = {"authorization": f"Basic {credentials}", "content-type": "application/json", "idempotency-key": key}
    for attempt in range(1, 5):
        wait = 0.1 * attempt
        try:
            request = urllib.request.Request(ENV["PAYSIM_BASE_URL"] + path, json.dumps(body).encode(), headers)
            with urllib.request.urlopen(request) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                return error.code
            wait = float(error.headers.get("retry-after") or wait)
        except OSError:
            pass
        time.sleep(wait)
    return 0


def create_order(order):
    reference = order["reference"]
    with LOCK:
        ORDERS.setdefault(reference, {**order, "status": "pending", "shipments": 0})
        save()
    payment = {
        "amount": order["amount"], "currency": "THB", "country": "TH", "checkout_mode": "merchant",
        "payment_method": "th_promptpay", "merchant_reference": reference, "customer": {"name": "Somchai Jaidee"},
    }
    made = call_gateway("/payment_intents", payment, reference) == 201
    return (201, ORDERS[reference]) if made else (502, {"error": "The payment could not be made"})


def is_genuine(headers, body):
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(SECRET, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one, expected) for one in headers.get("webhook-signature", "").split(" "))


def take_webhook(headers, body):
    if not is_genuine(headers, body):
        return 401, {}
    event = json.loads(body)
    with LOCK:
        order = ORDERS.get(event["data"]["merchant_reference"])
        if order and order["status"] == "pending":
            if event["type"] == "payment.succeeded":
                order.update(status="paid", shipments=order["shipments"] + 1)
            if event["type"] == "payment.failed":
                order["status"] = "failed"
            save()
    return 200, {}


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self):
        order = ORDERS.get(self.path.removeprefix("/orders/"))
        self.reply(200 if order else 404, order or {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/webhooks":
            self.reply(*take_webhook(self.headers, body))
        else:
            self.reply(*create_order(json.loads(body)))


ThreadingHTTPServer(("127.0.0.1", int(ENV["PORT"])), Shop).serve_forever()
