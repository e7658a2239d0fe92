"""A right shop in Python with threads: requests write to SQLite, and a worker of its own handles the events from there."""
import base64, hashlib, hmac, json, os, sqlite3, threading, time, urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENV = os.environ
FILE = os.path.join(ENV["PAYSIM_APP_DATA"], "shop.sqlite")
KEY = base64.b64decode(ENV["PAYSIM_WEBHOOK_SECRET"].removeprefix("whsec_"))
PAIR = f'{ENV["PAYSIM_PUBLIC_KEY"]}:{ENV["PAYSIM_SECRET_KEY"]}'
AUTHORIZATION = "Basic " + base64.b64encode(PAIR.encode()).decode()
WORK = threading.Event()
ENDS = {"payment.succeeded": "paid", "payment.failed": "failed"}


def database():
    return sqlite3.connect(FILE, timeout=30)


with database() as db:
    db.execute("CREATE TABLE IF NOT EXISTS orders (reference TEXT PRIMARY KEY, status TEXT, shipments INTEGER)")
    db.execute("CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, body TEXT, done INTEGER DEFAULT 0)")


def handle(db, event_id, event):
    """One transaction: the order changes only from pending, and the event is done."""
    reference, end = event["data"]["merchant_reference"], ENDS.get(event["type"])
    if end:
        db.execute(
            "UPDATE orders SET status = ?, shipments = shipments + ? WHERE reference = ? AND status = 'pending'",
            (end, int(end == "paid"), reference),
        )
    db.execute("UPDATE events SET done = 1 WHERE id = ?", (event_id,))
    db.commit()


def worker():
    db = database()
    while True:
        waiting = db.execute("SELECT id, body FROM events WHERE done = 0 ORDER BY rowid").fetchall()
        for event_id, body in waiting:
            handle(db, event_id, json.loads(body))
        if not waiting:
            WORK.wait(1)
            WORK.clear()


def is_signed(headers, body):
    stamp = headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(stamp)) > 300:
        return False
    text = f'{headers.get("webhook-id")}.{stamp}.'.encode() + body
    wanted = "v1," + base64.b64encode(hmac.new(KEY, text, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one, wanted) for one in headers.get("webhook-signature", "").split(" "))


def create_payment(wanted, reference):
    body = {
        "amount": wanted["amount"], "currency": "THB", "country": "TH", "checkout_mode": "merchant",
        "payment_method": wanted.get("method", "th_promptpay"), "merchant_reference": reference,
        "customer": {"name": "Somchai Jaidee"},
    }
    headers = {"authorization": AUTHORIZATION, "content-type": "application/json", "idempotency-key": reference}
    for wait in (0.1, 0.3, 1, 2, 0):
        request = urllib.request.Request(ENV["PAYSIM_BASE_URL"] + "/payment_intents", json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                return None
            wait = float(error.headers.get("retry-after") or wait)
        except OSError:
            pass
        time.sleep(wait)
    return None


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

    def order(self, reference):
        db = database()
        row = db.execute("SELECT reference, status, shipments FROM orders WHERE reference = ?", (reference,)).fetchone()
        db.close()
        return dict(zip(("reference", "status", "shipments"), row)) if row else None

    def do_GET(self):
        order = self.order(self.path.split("/")[-1])
        self.answer(200 if order else 404, order or {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        if self.path == "/orders":
            return self.create(json.loads(body))
        if not is_signed(self.headers, body):
            return self.answer(401, {})
        with database() as db:
            db.execute("INSERT OR IGNORE INTO events (id, body) VALUES (?, ?)", (json.loads(body)["id"], body.decode()))
        WORK.set()
        self.answer(202, {})

    def create(self, wanted):
        reference = wanted["reference"]
        with database() as db:
            db.execute("INSERT OR IGNORE INTO orders VALUES (?, 'pending', 0)", (reference,))
        payment = create_payment(wanted, reference)
        self.answer(201 if payment else 502, self.order(reference))


threading.Thread(target=worker, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(ENV["PORT"])), Shop).serve_forever()
