#!/bin/sh
# Tests a shop with curl, as a script in a repository would: `sh shop.sh COMMAND`, where the command starts the shop.
set -eu

control() { # METHOD PATH BODY
  curl -sSf -X "$1" "$PAYSIM_CONTROL_URL$2" -H "Authorization: Bearer $PAYSIM_CONTROL_TOKEN" \
    -H 'Content-Type: application/json' -d "$3"
}
member() { sed -n "s/.*\"$1\": *\"\{0,1\}\([^\",}]*\).*/\1/p" | head -n 1; }
order() { curl -sSf "http://127.0.0.1:$PORT/orders" -H 'Content-Type: application/json' -d "$1" >"$PAYSIM_APP_DATA/answer"; }
is() { # REFERENCE MEMBER VALUE
  actual=$(curl -sS "http://127.0.0.1:$PORT/orders/$1" | member "$2")
  if [ "$actual" != "$3" ]; then
    echo "FAILED: $2 of $1 is $actual, expected $3"
    exit 1
  fi
}

PORT=$(node -e "const s=require('net').createServer().listen(0,()=>{console.log(s.address().port);s.close()})")
PAYSIM_APP_DATA=$(mktemp -d)
shop=
trap 'kill $shop 2>/dev/null || true; rm -rf "$PAYSIM_APP_DATA"' EXIT
account=/accounts/$PAYSIM_ACCOUNT
PAYSIM_WEBHOOK_SECRET=$(control POST "$account/webhook-endpoints" "{\"url\": \"http://127.0.0.1:$PORT/webhooks\"}" | member secret)
control PUT "$account/clock" '{"mode": "virtual"}' >"$PAYSIM_APP_DATA/clock"
control PUT "$account/rules" '{"rules": [
  {"match": {"amount": "66600"}, "outcome": {"after": "30s", "status": "failed", "code": "declined"}},
  {"outcome": {"after": "20s", "status": "succeeded"}}]}' >"$PAYSIM_APP_DATA/rules"
export PORT PAYSIM_APP_DATA PAYSIM_WEBHOOK_SECRET
"$@" &
shop=$!
until curl -s "http://127.0.0.1:$PORT/orders/none" >"$PAYSIM_APP_DATA/up"; do sleep 0.05; done

order '{"reference": "tea", "amount": "25000"}'
order '{"reference": "pot", "amount": "66600"}'
control POST "$account/clock/advance" '{"by": "1m"}' >"$PAYSIM_APP_DATA/later"
is tea status paid
is tea shipments 1
is pot status failed
is pot shipments 0
echo 'the shop is right'
