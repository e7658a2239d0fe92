/** What `paysim scenario new` writes: a story that runs, and says how to go on. */
export const STARTER = `# A story for paysim: \`paysim run\` tells it in an account of its own, on a clock that stands still.
# docs/scenarios.md has the whole grammar; an editor that knows YAML schemas completes it:
# yaml-language-server: $schema=SCHEMA
paysim: 1
name: A receipt is rejected, replaced, and the money comes

# The same seed gives the same ids, keys and instructions, every time.
seed: 7

# What the provider will do. The first rule that matches a payment decides.
provider:
  - name: the first receipt is no good
    match: { method: th_bank_transfer }
    receipt:
      - { after: 5s, verdict: reject, message: Amount is not legible }
      - { after: 5s, verdict: accept }
    outcome: { after: 30s, status: succeeded }

steps:
  - create payment:
      amount: "150000"
      currency: THB
      country: TH
      checkout_mode: merchant
      payment_method: th_bank_transfer
      merchant_reference: order-1
      customer: { name: Somchai Jaidee }
    as: payment
    expect:
      status: 201
      body: { status: pending, receipt.status: required }

  # An image is made from its name: another name, another image. \`file: slip.png\` sends one of yours.
  - submit receipt: \${payment.id}
    image: blurred slip
    key: first-try
    expect: { body: { receipt.status: processing } }

  # Five seconds pass in no time, and everything that is due happens.
  - advance: 5s
  - expect receipt: \${payment.id}
    is: { status: rejected, failure_message: Amount is not legible }

  - submit receipt: \${payment.id}
    image: sharp slip
    key: second-try
  - advance: 35s
  - expect payment: \${payment.id}
    is: { status: succeeded, next_action: null }

  # Your webhook receiver is played too; signatures are verified.
  - expect webhooks: all
    exactly:
      - { type: payment.succeeded, data.id: "\${payment.id}", signature: valid }

# At the end: was each rule used, each fault hit, each webhook expected?
verify: all
`
