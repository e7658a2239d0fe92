import type { PaymentRecord } from '../../../contract/control/payments.ts'
import type { TimelineChange } from '../../../contract/control/timeline.ts'
import type { NextAction } from '../../../contract/resources.ts'
import { FINAL_STATUSES, type PaymentTrigger } from '../../../contract/statuses.ts'
import { humanise, moneyText } from '../format.ts'
import { addressOfCall, call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Away, Copyable, Status, Time } from '../ui/badge.tsx'
import { LinkButton } from '../ui/button.tsx'
import { NotLoaded, Page } from '../ui/page.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { WithCode } from './filters.tsx'
import { AsPayer, payerCan } from './pay-by-hand.tsx'
import { PlannedPanel, RulePanel } from './planned.tsx'
import { SaveAsTest } from './save-as-test.tsx'
import { TimelinePanel, useTimeline } from './timeline.tsx'
import { type Answers, useWhy, WhyPanel } from './why.tsx'

export function PaymentPage({ account, id }: { account: string; id: string }) {
  const params = { account, id }
  const payment = useLive('GET /accounts/:account/payments/:id', { params }, { record: id, about: ['clock'] })
  const timeline = useTimeline(account, id)
  const why = useWhy(account, id)
  const move = async (trigger: PaymentTrigger, body: Answers) => {
    await call(`POST /accounts/:account/payments/:id/${trigger}`, { params, body })
    payment.reload()
    why.reload()
  }
  const back = { href: addressOf(account, 'payments'), label: 'Payments' }
  if (!payment.data) return <NotLoaded title="Payment" back={back} of={payment} />
  const { data } = payment
  return (
    <Page
      title={`${moneyText(data.amount, data.currency)} ${data.currency}`}
      back={back}
      lead={<PaymentHeadline payment={data} />}
      actions={<SaveAsTest account={account} id={id} />}
    >
      <WhyPanel
        account={account}
        why={why}
        moves={data.moves}
        onMove={move}
        childrenFirst={payerCan(data) !== null}
      >
        {isFilled => <AsPayer account={account} payment={data} isFilled={isFilled} />}
      </WhyPanel>
      <div class="record">
        <div class="record-main">
          <PlannedPanel timeline={timeline} />
          <TimelinePanel timeline={timeline} route={data.route?.id} />
          <Panel title="Details">
            <Details payment={data} account={account} />
          </Panel>
        </div>
        <div class="record-side">
          <NextActionPanel action={data.next_action} />
          {data.receipt && (
            <ReceiptPanel payment={data} account={account} changes={timeline.data?.changes ?? []} />
          )}
          <ProviderPanel payment={data} account={account} />
          <RulePanel timeline={timeline} without={withoutRule(data)} />
        </div>
      </div>
    </Page>
  )
}

/** Without a rule, the provider does what the documentation describes as the default. */
function withoutRule({ route, rule }: PaymentRecord): string {
  if (!route) return 'A rule is chosen when the payer has chosen a method.'
  if (rule !== null)
    return `Its rule was “${rule}”. An older version created this payment and stored only the name.`
  return 'No rule matched. Receipts are accepted and cancellations confirmed after 5 s; the payment waits for its payer.'
}

function PaymentHeadline({ payment }: { payment: PaymentRecord }) {
  const { status, cancelled, cancel_requested_at, id, merchant_reference } = payment
  const cancelling = cancel_requested_at !== null && !FINAL_STATUSES.includes(status)
  return (
    <>
      <Status status={status} note={cancelled ? 'cancelled' : cancelling ? 'cancelling' : null} />
      {merchant_reference && <b>{merchant_reference}</b>}
      <Copyable text={id} what="the ID" />
    </>
  )
}

function Details({ payment, account }: { payment: PaymentRecord; account: string }) {
  const { customer, payment_method_options: options } = payment
  return (
    <Facts
      facts={[
        ['Merchant reference', payment.merchant_reference],
        ['Method', payment.payment_method ?? <i>not chosen yet</i>],
        ['Checkout mode', humanise(payment.checkout_mode)],
        ['Amount', `${payment.amount} (minor units of ${payment.currency})`],
        ['Country', payment.country],
        ['Account', account],
        ['Requests', <a href={addressOf(account, 'requests', null, { q: payment.id })}>that name it</a>],
        ['Webhooks', <a href={addressOf(account, 'webhooks', null, { q: payment.id })}>of its events</a>],
        ['Created', <Time key="created" at={payment.created_at} />],
        ['Updated', <Time key="updated" at={payment.updated_at} />],
        [
          'Expires',
          !FINAL_STATUSES.includes(payment.status) && (
            <>
              <Time at={payment.expires_at} /> (<Away at={payment.expires_at} />)
            </>
          ),
        ],
        ['Cancellation requested', payment.cancel_requested_at && <Time at={payment.cancel_requested_at} />],
        [
          'Failure code',
          payment.failure_code && <WithCode account={account} list="payments" code={payment.failure_code} />,
        ],
        ['Failure message', payment.failure_message],
        ['Return URL', payment.return_url && <Copyable text={payment.return_url} what="the return URL" />],
        ...Object.entries(customer).map(([name, value]) => [`Customer ${name}`, value] as const),
        ...Object.entries(options).map(([name, value]) => [humanise(name), value] as const),
        ...otherFacts(payment),
      ]}
    />
  )
}

/** The members that have a place on this page, or say nothing new to its readers. */
const PLACED: ReadonlySet<string> = new Set<keyof PaymentRecord>([
  ...(['id', 'object', 'amount', 'currency', 'country', 'checkout_mode', 'environment'] as const),
  ...(['merchant_reference', 'payment_method', 'status', 'processing_reason', 'failure_code'] as const),
  ...(['failure_message', 'created_at', 'updated_at', 'return_url', 'rule', 'cancelled'] as const),
  ...(['cancel_requested_at', 'expires_at'] as const),
])

/** Any other member that is one value, by its name, so that a new one is never forgotten. */
const otherFacts = (payment: PaymentRecord) =>
  Object.entries(payment).flatMap(([name, value]) => {
    const isOneValue = value !== null && typeof value !== 'object'
    return isOneValue && !PLACED.has(name) ? [[humanise(name), String(value)] as const] : []
  })

interface ReceiptProps {
  readonly payment: PaymentRecord
  readonly account: string
  readonly changes: readonly TimelineChange[]
}

/** Each receipt that was sent, with its image and the verdict on it; the last one first. */
function ReceiptPanel({ payment: { receipt }, account, changes }: ReceiptProps) {
  if (!receipt) return null
  const sent = submissionsIn(changes)
  return (
    <Panel title="Receipts" aside={<Status status={receipt.status} />}>
      {sent.length === 0 && <p class="muted">No receipt has been sent yet.</p>}
      {sent.toReversed().map(({ at, image, verdict }, nth) => {
        const address = addressOfCall('GET /accounts/:account/images/:digest', {
          params: { account, digest: image },
        })
        const number = sent.length - nth
        return (
          <figure key={number} class="receipt">
            <a href={address} target="_blank" rel="noopener noreferrer">
              <img src={address} alt={nth === 0 ? 'The uploaded receipt' : `Receipt ${number}`} />
            </a>
            <figcaption>
              Submission {number}, <Time at={at} short /> · SHA-256 <code>{image.slice(0, 16)}…</code>
              <br />
              {verdict === null ? (
                'It is being checked.'
              ) : verdict.event === 'ReceiptRejected' ? (
                <span class="problem">Rejected: {verdict.detail}</span>
              ) : (
                'Accepted.'
              )}
            </figcaption>
          </figure>
        )
      })}
    </Panel>
  )
}

interface Submission {
  readonly at: string
  readonly image: string
  readonly verdict: TimelineChange | null
}

/** A verdict is on the receipt that was sent last before it. */
function submissionsIn(changes: readonly TimelineChange[]): Submission[] {
  const sent: Submission[] = []
  for (const change of changes) {
    const last = sent.at(-1)
    if (change.image) sent.push({ at: change.at, image: change.image, verdict: null })
    else if (last && (change.event === 'ReceiptAccepted' || change.event === 'ReceiptRejected'))
      sent[sent.length - 1] = { ...last, verdict: change }
  }
  return sent
}

function ProviderPanel({ payment, account }: { payment: PaymentRecord; account: string }) {
  const { route, rule } = payment
  return (
    <Panel title="Provider">
      {route ? (
        <Facts
          facts={[
            [
              'Rule',
              rule ? (
                <a href={addressOf(account, 'rules', null, { rule })}>{rule}</a>
              ) : (
                <i>none, or without a name</i>
              ),
            ],
            ['Route', <a href={addressOf(account, 'catalogue', null, { route: route.id })}>{route.id}</a>],
            ['Provider', route.provider],
            ['Local code', <code key="code">{route.local_code}</code>],
            ['Action', humanise(route.action)],
            ['Takes a receipt', route.takes_receipt ? 'Yes' : 'No'],
            ['Cancel while pending', route.cancel_pending ? 'Yes' : 'No'],
          ]}
        />
      ) : (
        <p class="muted">There is no route yet: the payer has not chosen a method.</p>
      )}
    </Panel>
  )
}

/** What the payer must do now. */
function NextActionPanel({ action }: { action: NextAction | null }) {
  const expiry = action && 'expires_at' in action ? <Expiry at={action.expires_at} /> : undefined
  return (
    <Panel title="Next action" aside={expiry}>
      {action ? <Shown action={action} /> : <p class="muted">The payer has nothing to do now.</p>}
    </Panel>
  )
}

const Expiry = ({ at }: { at: string }) => (
  <span class="muted">
    ends <Away at={at} />
  </span>
)

function Shown({ action }: { action: NextAction }) {
  switch (action.type) {
    case 'redirect_to_url':
      return (
        <div class="stack">
          <p class="muted">The payer opens this page in a browser.</p>
          <Copyable text={action.url} what="the address" />
          <div>
            <LinkButton href={action.url} icon="outside" outside>
              Open as the payer
            </LinkButton>
          </div>
        </div>
      )
    case 'display_qr_code':
      return (
        <div class="qr">
          {action.qr_image_data_url && <img src={action.qr_image_data_url} alt="QR code for this payment" />}
          <div class="stack">
            <p class="muted">The payer scans this with a banking app.</p>
            <Copyable text={action.qr_data} what="the QR payload" />
          </div>
        </div>
      )
    case 'display_bank_transfer_instructions':
      return (
        <Facts
          facts={[
            ['Bank', action.bank.label],
            ['Account name', action.account.name],
            ['Account number', <Copyable text={action.account.number} what="the account number" />],
            ['Reference', <Copyable text={action.reference} what="the reference" />],
          ]}
        />
      )
  }
}
