import type { ControlAddress } from '../../client/control-client.ts'
import { isLoopback } from '../../client/loopback.ts'
import { formatDuration } from '../../contract/durations.ts'
import { readEvent } from '../../library/read-event.ts'
import { type Arrival, listenForWebhooks, type WebhookListener } from '../../library/webhook-listener.ts'
import type { WebhookAnswer } from '../../library/webhooks.ts'
import type { ControlFlags } from '../control/flags.ts'
import type { ControlSession } from '../control/session.ts'
import { EXIT } from '../faults/exit-code.ts'
import { Interrupted } from '../faults/interrupted.ts'
import { UsageFault } from '../faults/usage-fault.ts'
import { deliveryOf } from './delivery.ts'
import { type DeliveryPrinter, deliveryPrinter } from './delivery-printer.ts'
import { type Ending, openEnding } from './ending.ts'
import { type OwnEndpoint, registerEndpoint, removeEndpoints } from './endpoint.ts'
import { forward } from './forward.ts'

export interface ListenFlags extends ControlFlags {
  readonly forwardTo?: URL
  readonly events?: readonly string[]
  readonly count?: number
  readonly timeout?: number
  readonly port?: number
  readonly printSecret?: true
}

/** Receives an account's webhooks, shows them and passes them on, until there is a reason to end. */
export async function listen(session: ControlSession, flags: ListenFlags): Promise<void> {
  const { account, target, signal } = session
  refuseRemote(target.controlUrl)
  const ending = openEnding(signal)
  const printer = await deliveryPrinter(flags, () => ending.end('reader gone'))
  const listener = await openListener(flags.port)
  const url = `${listener.url}/webhooks`
  const registering = registerEndpoint(account, { url, ...(flags.events ? { events: flags.events } : {}) })
  const desk = new Desk(registering, { printer, ending, flags })
  listener.answerWith(arrival => desk.take(arrival))
  const following = new AbortController()
  let registered = false
  try {
    const endpoint = await registering
    registered = true
    tellReady(account.id, { url, secret: endpoint.secret, flags })
    follow(endpoint, following.signal, flags)
    if (flags.timeout !== undefined) ending.startClock(flags.timeout)
    const reason = await ending.reached
    if (reason === 'interrupted') throw new Interrupted()
    if (reason === 'timed out') tellTimeout(desk.taken, flags)
  } finally {
    ending.close()
    following.abort()
    await listener.idle()
    await printer.end()
    // What was interrupted may have been done all the same.
    if (registered || signal.aborted) await tidyUp(target, account.id, url)
    await listener.close()
  }
}

function follow(endpoint: OwnEndpoint, signal: AbortSignal, { printSecret }: ListenFlags): void {
  const tell = (news: string) => process.stderr.write(`paysim: ${news}\n`)
  const again = () =>
    tell(`the account began anew: registered again${printSecret ? `\nSecret: ${endpoint.secret}` : ''}`)
  endpoint
    .stay(signal, again)
    .catch(
      () => signal.aborted || tell('the simulator is gone: no webhooks come until it serves this data again'),
    )
}

async function tidyUp(address: ControlAddress, account: string, url: string): Promise<void> {
  try {
    await removeEndpoints(address, account, url)
  } catch (fault) {
    const why = fault instanceof Error ? fault.message : String(fault)
    process.stderr.write(`paysim: the endpoint ${url} is still registered: ${why}\n`)
  }
}

interface Counter {
  readonly printer: DeliveryPrinter
  readonly ending: Ending
  readonly flags: ListenFlags
}

/** Takes webhooks one by one: judged, shown, passed on, answered. */
class Desk {
  readonly #seen = new Map<string, number>()
  #begun = 0
  taken = 0

  constructor(
    private readonly endpoint: Promise<OwnEndpoint>,
    private readonly counter: Counter,
  ) {}

  async take(arrival: Arrival): Promise<WebhookAnswer> {
    const { printer, ending, flags } = this.counter
    const { count = Number.POSITIVE_INFINITY, forwardTo } = flags
    // Whoever came for the last place is told to come again.
    if (ending.signal.aborted || this.#begun >= count) return { status: 503 }
    this.#begun += 1
    const at = new Date()
    const { headers } = arrival
    const body = arrival.body.toString('utf8')
    const secret = await (await this.endpoint).secretFor(arrival)
    const event = readEvent({ headers, body, secret, now: at.getTime() }, id => this.#countOf(id))
    await printer.arrived(event, at)
    const passed = forwardTo && (await forward(arrival, forwardTo, ending.signal))
    const answer = passed?.answer ?? { status: 200 }
    const { status: answered = 200 } = answer
    const forwarded = passed?.forwarded ?? null
    await printer.answered(deliveryOf(event, { received_at: at.toISOString(), forwarded, answered }))
    if (answered === 410) process.stderr.write('paysim: 410 ends it: the simulator sends here no more\n')
    this.taken += 1
    if (this.taken >= count) ending.end('counted')
    return answer
  }

  #countOf(id: string): number {
    const count = (this.#seen.get(id) ?? 0) + 1
    this.#seen.set(id, count)
    return count
  }
}

/** It would call its own machine, not this one. */
function refuseRemote(controlUrl: string): void {
  const { hostname, origin } = new URL(controlUrl)
  if (isLoopback(hostname)) return
  throw new UsageFault(
    `the simulator at ${origin} is on another machine: its webhooks cannot reach this one. Run \`paysim webhooks listen\` there`,
  )
}

async function openListener(port: number | undefined): Promise<WebhookListener> {
  try {
    return await listenForWebhooks(port)
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageFault(
      isTaken
        ? `port ${port} is taken; choose another with --port, or leave it out for any free one`
        : `--port ${port ?? 0}: ${why}`,
    )
  }
}

interface Facts {
  readonly url: string
  readonly secret: string
  readonly flags: ListenFlags
}

function tellReady(account: string, { url, secret, flags }: Facts): void {
  const where = flags.forwardTo ? `, forwarding to ${flags.forwardTo.href}` : ''
  const lines = [
    `Listening for the webhooks of ${account} on ${url}${where}`,
    ...(flags.printSecret ? [`Secret: ${secret}`] : []),
    ...(process.stderr.isTTY ? ['Ctrl-C ends it.'] : []),
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

function tellTimeout(taken: number, { count, timeout = 0 }: ListenFlags): void {
  const of = count === undefined ? '' : ` of ${count}`
  process.stderr.write(`paysim: ${taken}${of} webhooks came within ${formatDuration(timeout)}\n`)
  process.exitCode = EXIT.timedOut
}
