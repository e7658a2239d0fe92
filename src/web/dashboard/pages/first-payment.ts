import { type AccountCall, requestLine } from '../../../contract/control/call.ts'

/**
 * A command for the first payment. It reads the URL and the keys from the server's own file, so the page does not show
 * them.
 */
const FACTS = '.paysim/server.json'

const pathOf = (name: AccountCall, account: string) => requestLine(name, { params: { account } }).path

export const firstPaymentCommand = (account: string) => `API=$(node -p 'require("./${FACTS}").url')
CONTROL=$(node -p 'require("./${FACTS}").control_url')
TOKEN=$(node -p 'require("./${FACTS}").control_token')
KEYS=$(curl -s -H "Authorization: Bearer $TOKEN" $CONTROL${pathOf('GET /accounts/:account/keys', account)} \\
  | node -p '[k] = JSON.parse(fs.readFileSync(0)).data; k.public_key + ":" + k.secret_key')
curl -u "$KEYS" $API/payment_intents -H 'Content-Type: application/json' -d '{
  "amount": "10000", "currency": "THB", "country": "TH",
  "merchant_reference": "order-1", "customer": {"name": "Somchai"},
  "return_url": "https://shop.example/thanks"
}'`

export const firstPayoutCommand = (account: string) => `CONTROL=$(node -p 'require("./${FACTS}").control_url')
TOKEN=$(node -p 'require("./${FACTS}").control_token')
curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  $CONTROL${pathOf('POST /accounts/:account/payouts', account)} -d '{
  "amount": "5000", "currency": "THB", "country": "TH",
  "merchant_reference": "refund-1", "recipient": {"bank_code": "bbl",
    "holder_name": "Somchai Jaidee", "account_number": "1234567890"}
}'`
