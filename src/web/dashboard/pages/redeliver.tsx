import { useEffect, useState } from 'preact/hooks'
import type { DeliveryRecord, DeliveryRow } from '../../../contract/control/webhooks.ts'
import { countText } from '../format.ts'
import { call, messageOf } from '../state/api.ts'
import { live, repeatedly, useLive } from '../state/use-live.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Ready } from '../ui/page.tsx'
import { allRows } from './export-list.tsx'

/** Sends what failed of the filtered list once more, and says what became of it. */

const LIST = 'GET /accounts/:account/browse/webhook-deliveries'
/** What is sent if the list is not filtered by status: what was delivered is left alone. */
const NOT_DELIVERED = 'failed,failing,dropped'
/** So many at a time: who wants more presses again. */
const MOST = 1000
const AT_ONCE = 6
/** So many of those that are under way are read at a time. */
const READ_AT_ONCE = 20

interface RedeliverProps {
  readonly account: string
  /** The filters of the list, as in a URL. */
  readonly query: string
}

export function Redeliver({ account, query }: RedeliverProps) {
  const [open, setOpen] = useState(false)
  const filters = new URLSearchParams(query)
  if (!filters.has('status')) filters.set('status', NOT_DELIVERED)
  return (
    <>
      <Button onPress={() => setOpen(true)}>Redeliver…</Button>
      {open && <Redelivery account={account} query={filters.toString()} onClose={() => setOpen(false)} />}
    </>
  )
}

/** What became of one: a word or a status, such as `delivered`; undefined while it is under way. */
type Results = ReadonlyMap<string, string | undefined>

function Redelivery({ account, query, onClose }: RedeliverProps & { readonly onClose: () => void }) {
  const [results, setResults] = useState<Results | null>(null)
  const counted = useLive(LIST, {
    params: { account },
    query: { ...Object.fromEntries(new URLSearchParams(query)), offset: 0, limit: 1 },
  })
  const [sending] = useState(() => new Sending(account, setResults))
  useEffect(() => () => sending.stop(), [])
  const send = async () => sending.send(await allRows(LIST, account, query, () => {}, MOST))
  return (
    <Dialog title="Redeliver" onClose={onClose}>
      <div class="body">
        {results ? (
          <Became results={results} />
        ) : (
          <Ready of={counted}>{({ total }) => <Before total={total} query={query} />}</Ready>
        )}
      </div>
      <footer>
        <Button onPress={onClose}>{results ? 'Done' : 'Cancel'}</Button>
        {!results && counted.data && (
          <Button tone="primary" disabled={counted.data.total === 0} onPress={send}>
            {`Redeliver ${countText(Math.min(counted.data.total, MOST))}`}
          </Button>
        )}
      </footer>
    </Dialog>
  )
}

function Before({ total, query }: { total: number; query: string }) {
  const isChosen = new URLSearchParams(query).get('status') !== NOT_DELIVERED
  const which = isChosen ? 'as the list is filtered' : 'of the list that failed, are failing or were dropped'
  if (total === 0) return <p>There is no delivery {which}.</p>
  return (
    <>
      <p>
        <b>{countText(total)}</b> {total === 1 ? 'delivery' : 'deliveries'} {which}: each gets one more
        attempt now, with the same event and body.
      </p>
      {total > MOST && <p>Only the newest {countText(MOST)} of them are sent; press again for the others.</p>}
      <p class="hint">Success ends the retries of a delivery; failure does not change them.</p>
    </>
  )
}

function Became({ results }: { results: Results }) {
  const counts = new Map<string, number>()
  for (const result of results.values())
    counts.set(result ?? UNDER_WAY, (counts.get(result ?? UNDER_WAY) ?? 0) + 1)
  const left = counts.get(UNDER_WAY) ?? 0
  return (
    <>
      <p role="status">
        {left === 0
          ? `${countText(results.size)} redelivered.`
          : `${countText(results.size - left)} of ${countText(results.size)} redelivered…`}
      </p>
      <ul class="became" aria-label="What became of them">
        {[...counts].map(([result, count]) => (
          <li key={result}>
            <b>{countText(count)}</b> {result}
          </li>
        ))}
      </ul>
      {left > 0 && <p class="hint">What is not sent yet stays as it is when you close this.</p>}
    </>
  )
}

const UNDER_WAY = 'under way'

/** Sends deliveries, and reads them until each has the answer of its new attempt. */
class Sending {
  readonly #results = new Map<string, string | undefined>()
  /** Those that are sent, with how many answers each had before. */
  readonly #sent = new Map<string, number>()
  readonly #reading = repeatedly(() => this.#read())
  #unlisten = () => {}
  #stopped = false

  constructor(
    private readonly account: string,
    private readonly tell: (results: Results) => void,
  ) {}

  async send(rows: readonly DeliveryRow[]): Promise<void> {
    for (const { id } of rows) this.#results.set(id, undefined)
    this.tell(new Map(this.#results))
    this.#unlisten = live.listen(() => this.#reading.wish())
    const waiting = rows.map(({ id }) => id)
    const sendNext = async () => {
      for (let id = waiting.shift(); id !== undefined && !this.#stopped; id = waiting.shift())
        await this.#sendOne(id)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, sendNext))
    this.#reading.wish()
  }

  stop(): void {
    this.#stopped = true
    this.#unlisten()
    this.#reading.stop()
  }

  async #sendOne(id: string): Promise<void> {
    const params = { account: this.account, id }
    try {
      const { attempts } = await call('GET /accounts/:account/webhook-deliveries/:id', { params })
      await call('POST /accounts/:account/webhook-deliveries/:id/redeliver', { params })
      this.#sent.set(id, answersIn({ attempts }))
    } catch (error) {
      this.#results.set(id, `not sent: ${messageOf(error)}`)
    }
    this.tell(new Map(this.#results))
  }

  async #read(): Promise<void> {
    const some = [...this.#sent].slice(0, READ_AT_ONCE)
    await Promise.all(
      some.map(async ([id, before]) => {
        const params = { account: this.account, id }
        const delivery = await call('GET /accounts/:account/webhook-deliveries/:id', { params }).catch(
          () => null,
        )
        if (!delivery) return
        // Others have their turn before it is read again.
        this.#sent.delete(id)
        if (answersIn(delivery) > before) this.#results.set(id, resultOf(delivery))
        else this.#sent.set(id, before)
      }),
    )
    this.tell(new Map(this.#results))
    // A change that came meanwhile is not told again.
    if (this.#sent.size > 0) this.#reading.wish()
  }
}

const answersIn = ({ attempts }: Pick<DeliveryRecord, 'attempts'>) =>
  attempts.filter(({ response }) => response).length

function resultOf({ status, attempts }: DeliveryRecord): string {
  const last = attempts.findLast(({ response }) => response)?.response
  const answer = last?.error ?? `answered ${last?.status}`
  return status === 'delivered' ? `delivered: ${answer}` : `failed again: ${answer}`
}
