import { useState } from 'preact/hooks'
import type { ClockState, TimerRecord } from '../../../contract/control/clock.ts'
import type { AdvanceBody, ClockBody } from '../../../contract/control/requests.ts'
import { commandText, dateTimeText } from '../format.ts'
import { accountNow, advanceClock } from '../state/account-time.ts'
import { call } from '../state/api.ts'
import { place } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Away, Badge, ExactTime, Money } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty, Panel, Table } from '../ui/panel.tsx'
import { ClearFilters } from './filters.tsx'
import { linked } from './why.tsx'

/** The server names what each is about, up to so many. */
const SHOWN_TIMERS = 200

/** In the address: only the timers that are due in an hour. */
const WITHIN = 'within'
const HOUR_MS = 3_600_000
const isDueSoon = ({ due_at }: TimerRecord) =>
  accountNow.value !== null && Date.parse(due_at) <= accountNow.value + HOUR_MS

/** Shows and moves the account's clock. */
export function ClockPage({ account }: { account: string }) {
  const about = ['clock', 'timers', 'payments', 'payouts', 'webhooks']
  const params = { account }
  const clock = useLive('GET /accounts/:account/clock', { params }, { about })
  const timers = useLive(
    'GET /accounts/:account/timers',
    { params, query: { limit: SHOWN_TIMERS } },
    { about },
  )
  const read = () => {
    clock.reload()
    timers.reload()
  }
  const advance = async (goal: AdvanceBody) => {
    await advanceClock(account, goal)
    read()
  }
  const set = async (setting: ClockBody) => {
    await call('PUT /accounts/:account/clock', { params, body: setting })
    read()
  }
  const isNear = place.value.query.has(WITHIN)
  return (
    <Page title="Clock">
      <Ready of={clock}>
        {data => (
          <>
            <Now clock={data} onSet={set} />
            {data.mode === 'virtual' ? (
              <ClockControls clock={data} onAdvance={advance} />
            ) : (
              <Rate clock={data} onSet={set} />
            )}
          </>
        )}
      </Ready>
      <Panel
        title={isNear ? 'Timers of the next hour' : 'Timers'}
        aside={<ClearFilters names={[WITHIN]} />}
        flush
      >
        <Ready of={timers}>
          {({ data }) => (
            <Timers
              timers={isNear ? data.filter(isDueSoon) : data}
              isNear={isNear}
              later={(clock.data?.pending_timers ?? 0) - data.length}
              account={account}
            />
          )}
        </Ready>
      </Panel>
    </Page>
  )
}

function Now({ clock, onSet }: { clock: ClockState; onSet: (setting: ClockBody) => Promise<void> }) {
  const { mode, rate, next_due } = clock
  return (
    <Panel
      title="Now"
      aside={
        <span class="segmented">
          <Button pressed={mode === 'real'} onPress={() => onSet({ mode: 'real' })}>
            Real
          </Button>
          <Button pressed={mode === 'virtual'} onPress={() => onSet({ mode: 'virtual' })}>
            Virtual
          </Button>
        </span>
      }
    >
      <p class="big-clock">{accountNow.value === null ? clock.now : dateTimeText(accountNow.value)}</p>
      <p class="muted">
        {mode === 'virtual'
          ? 'It stands still until you move it. '
          : `It follows the wall clock at ${rate}×. `}
        {next_due ? (
          <>
            The next timer is due <Away at={next_due} />.
          </>
        ) : (
          'No timer is set.'
        )}
      </p>
    </Panel>
  )
}

const JUMPS = ['5s', '1m', '15m', '1h', '24h', '72h']

function ClockControls({
  clock: { next_due },
  onAdvance,
}: {
  clock: ClockState
  onAdvance: (goal: AdvanceBody) => Promise<void>
}) {
  const [by, setBy] = useState('')
  const [to, setTo] = useState('')
  return (
    <Panel title="Move it">
      <div class="stack">
        <div class="row-wrap">
          <Button
            tone="primary"
            icon="skip"
            disabled={!next_due}
            onPress={() => next_due && onAdvance({ to: next_due })}
          >
            Step to the next timer
          </Button>
          <Button icon="play" disabled={!next_due} onPress={() => onAdvance({ until: 'idle' })}>
            Run until idle
          </Button>
        </div>
        <div class="row-wrap">
          {JUMPS.map(jump => (
            <Button key={jump} onPress={() => onAdvance({ by: jump })}>
              + {jump}
            </Button>
          ))}
        </div>
        <div class="row-wrap">
          <Field label="Jump by" placeholder="1h30m" value={by} onInput={setBy} />
          <Button disabled={by.trim() === ''} onPress={() => onAdvance({ by: by.trim() })}>
            Jump by
          </Button>
          <Field label="Jump to" type="datetime-local" value={to} onInput={setTo} />
          <Button disabled={to === ''} onPress={() => onAdvance({ to: new Date(to).toISOString() })}>
            Jump to
          </Button>
        </div>
      </div>
    </Panel>
  )
}

function Rate({ clock, onSet }: { clock: ClockState; onSet: (setting: ClockBody) => Promise<void> }) {
  const [rate, setRate] = useState(String(clock.rate))
  return (
    <Panel title="How fast">
      <div class="row-wrap">
        <Field label="Seconds of account time for each second of wall time" value={rate} onInput={setRate} />
        <Button onPress={() => onSet({ mode: 'real', rate: Number(rate) })}>Set the rate</Button>
      </div>
    </Panel>
  )
}

interface TimersProps {
  readonly timers: readonly TimerRecord[]
  readonly isNear: boolean
  /** How many are due later than all that were read. */
  readonly later: number
  readonly account: string
}

function Timers({ timers, isNear, later, account }: TimersProps) {
  if (timers.length === 0 && isNear) return <Empty title="Nothing is due in the next hour" />
  if (timers.length === 0)
    return (
      <Empty title="No timer is set">
        <p>Planned outcomes, verdicts, expiries and webhook attempts appear here.</p>
      </Empty>
    )
  return (
    <>
      <Table<TimerRecord>
        caption="Timers"
        rows={timers}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Due', cell: ({ due_at }) => <ExactTime at={due_at} /> },
          { title: 'When', cell: ({ due_at }) => <Away at={due_at} /> },
          { title: 'Does', cell: ({ command }) => <Badge tone="quiet">{commandText(command)}</Badge> },
          { title: 'To', cell: timer => <AboutTimer timer={timer} account={account} /> },
          {
            title: 'Amount',
            cell: ({ record }) => record && <Money amount={record.amount} currency={record.currency} />,
            align: 'end',
          },
        ]}
      />
      {timers.length === SHOWN_TIMERS && later > 0 && <p class="muted pad">and {later} later ones</p>}
    </>
  )
}

function AboutTimer({ timer, account }: { timer: TimerRecord; account: string }) {
  const { payment, payout, delivery } = timer.command
  const id = payment ?? payout ?? delivery
  return id === undefined ? null : linked(account, id, timer.record?.name)
}
