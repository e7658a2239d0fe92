import type { Timeline, TimelineChange } from '../../../contract/control/timeline.ts'
import type { PayoutTrigger } from '../../../contract/statuses.ts'
import { humanise, moneyText } from '../format.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { type Loaded, useLive } from '../state/use-live.ts'
import { Copyable, ExactTime, Status, Time } from '../ui/badge.tsx'
import { NotLoaded, Page, Ready } from '../ui/page.tsx'
import { Facts, Panel, Table } from '../ui/panel.tsx'
import { WithCode } from './filters.tsx'
import { PlannedPanel, RulePanel } from './planned.tsx'
import { TimelinePanel, useTimeline } from './timeline.tsx'
import { type Answers, useWhy, WhyPanel } from './why.tsx'

export function PayoutPage({ account, id }: { account: string; id: string }) {
  const params = { account, id }
  const payout = useLive('GET /accounts/:account/payouts/:id', { params }, { record: id })
  const timeline = useTimeline(account, id)
  const why = useWhy(account, id)
  const move = async (trigger: PayoutTrigger, body: Answers) => {
    await call(`POST /accounts/:account/payouts/:id/${trigger}`, { params, body })
    payout.reload()
    why.reload()
  }
  const back = { href: addressOf(account, 'payouts'), label: 'Payouts' }
  if (!payout.data) return <NotLoaded title="Payout" back={back} of={payout} />
  const { data } = payout
  const { recipient } = data
  return (
    <Page
      title={`${moneyText(data.amount, data.currency)} ${data.currency}`}
      back={back}
      lead={
        <>
          <Status status={data.status} />
          {data.merchant_reference && <b>{data.merchant_reference}</b>}
          <Copyable text={data.id} what="the ID" />
        </>
      }
    >
      <WhyPanel account={account} why={why} moves={data.moves} onMove={move} />
      <div class="record">
        <div class="record-main">
          <PlannedPanel timeline={timeline} />
          <TimelinePanel timeline={timeline} />
          <AuditLog timeline={timeline} />
        </div>
        <div class="record-side">
          {data.cancel_reason && (
            <Panel title="Reason for the cancellation">
              <p>{data.cancel_reason}</p>
            </Panel>
          )}
          <Panel title="Recipient">
            <Facts
              facts={[
                ['Holder', recipient.holder_name],
                ['Bank', recipient.bank_code],
                ['Account number', `···· ${recipient.account_last4}`],
                ['Kind', humanise(recipient.type)],
              ]}
            />
          </Panel>
          <Panel title="Details">
            <Facts
              facts={[
                ['Merchant reference', data.merchant_reference],
                ['Amount', `${data.amount} (minor units of ${data.currency})`],
                ['Country', data.country],
                [
                  'Rule',
                  data.rule && (
                    <a href={addressOf(account, 'rules', null, { rule: data.rule })}>{data.rule}</a>
                  ),
                ],
                ['Created', <Time key="created" at={data.created_at} />],
                ['Updated', <Time key="updated" at={data.updated_at} />],
                [
                  'Failure code',
                  data.failure_code && <WithCode account={account} list="payouts" code={data.failure_code} />,
                ],
                ['Failure message', data.failure_message],
              ]}
            />
          </Panel>
          <RulePanel
            timeline={timeline}
            without={
              data.rule === null
                ? 'No rule matched. The payout waits for you to approve it, and then to make it succeed or fail.'
                : `Its rule was “${data.rule}”. An older version created this payout and stored only the name.`
            }
          />
        </div>
      </div>
    </Page>
  )
}

/** Who did what, when, and why. */
function AuditLog({ timeline }: { timeline: Loaded<Timeline> }) {
  return (
    <Panel title="Audit log" flush>
      <Ready of={timeline}>
        {({ changes }) => (
          <Table<TimelineChange>
            caption="Audit log"
            rows={changes}
            keyOf={({ seq, event }) => `${seq} ${event}`}
            columns={[
              { title: 'When', cell: ({ at }) => <ExactTime at={at} /> },
              { title: 'Who', cell: ({ by }) => humanise(by) },
              { title: 'What', cell: ({ event }) => humanise(event) },
              { title: 'Status', cell: ({ status }) => status && <Status status={status} /> },
              { title: 'Reason', cell: ({ detail }) => detail },
            ]}
          />
        )}
      </Ready>
    </Panel>
  )
}
