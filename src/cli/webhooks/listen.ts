import { type ControlAddress, ControlClient } from '../../client/control-client.ts'
import { isLoopback } from '../../client/loopback.ts'
import { formatDuration } from '../../contract/durations.ts'
import type { EventChoice } from '../../contract/event-names.ts'
import { readEvent } from '../../library/read-event.ts'
import {
  type IncomingWebhook,
  listenForWebhooks,
  type WebhookListener,
} from '../../library/webhook-listener.ts'
import type { WebhookAnswer } from '../../library/webhooks.ts'
import { findControl } from '../control/find-control.ts'
import type { ControlFlags } from '../control/flags.ts'
import type { ControlSession } from '../control/session.ts'
import { InterruptedError, UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { type DeliveryPrinter, deliveryOf, deliveryPrinter } from './deliveries.ts'
import { type Ending, openEnding } from './ending.ts'
import {
  type Door,
  type OwnEndpoint,
  portsLeftBehind,
  registerEndpoint,
  removeEndpoints,
} from './endpoint.ts'
import { forward } from './forward.ts'
import { keptSecret } from './kept-secret.ts'

export interface ListenFlags extends ControlFlags {
  readonly forwardTo?: URL
  readonly events?: readonly EventChoice[]
  readonly count?: number
  readonly timeout?: number
  readonly port?: number
  readonly printSecret?: true
  readonly secret?: string
  readonly keep?: true
}

/** Receives an account's webhooks, shows them and passes them on, until there is a reason to end. */
export async function listen(session: ControlSession, flags: ListenFlags): Promise<void> {
  const { account, target, signal } = session
  refuseRemote(target.controlUrl)
  const ending = openEnding(signal)
  const printer = await deliveryPrinter(flags, () => ending.end('reader gone'))
  const secret = await keptSecret(target, flags.secret)
  const listener = await openListener(flags.port, await portsLeftBehind(account, secret))
  const url = `${listener.url}/webhooks`
  const opened = new Set<ControlClient>()
  const registering = registerEndpoint(
    { address: target, account },
    { url, events: flags.events, secret },
    () => reopen(session, flags, opened),
  )
  const desk = new Desk(registering, { printer, ending, flags })
  listener.answerWith(arrival => desk.take(arrival))
  const following = new AbortController()
  let registered = false
  try {
    const endpoint = await registering
    registered = true
    tellReady(account.id, { url, secret: endpoint.secret, flags, waiting: endpoint.waiting })
    follow(endpoint, following.signal, flags)
    if (flags.timeout !== undefined) ending.startClock(flags.timeout)
    const reason = await ending.reached
    if (reason === 'interrupted') throw new InterruptedError()
    if (reason === 'timed out') tellTimeout(desk.taken, flags)
  } finally {
    ending.close()
    following.abort()
    await listener.idle()
    await printer.end()
    // What was interrupted may have been done all the same.
    const address = registered ? (await registering).address : target
    if (flags.keep && registered) tellKept(url)
    else if (registered || signal.aborted) await tidyUp(address, account.id, url)
    for (const control of opened) await control.close()
    await listener.close()
  }
}

function follow(endpoint: OwnEndpoint, signal: AbortSignal, { printSecret }: ListenFlags): void {
  const tell = (news: string) => process.stderr.write(`paysim: ${news}\n`)
  const secret = () => (printSecret ? `\nSecret: ${endpoint.secret}` : '')
  void endpoint.stay(signal, {
    onAgain: () => tell(`the account began anew: registered again${secret()}`),
    onGone: () => tell('the simulator is gone: no webhooks come until it is back'),
    onBack: ({ address }, again) =>
      tell(
        `the simulator is back, at ${new URL(address.controlUrl).origin}: ${
          again ? `registered again${secret()}` : 'the endpoint is still registered'
        }`,
      ),
  })
}

/** The simulator as it is found now: started again, it may have another port and another token. */
async function reopen(
  { account, target }: ControlSession,
  flags: ListenFlags,
  opened: Set<ControlClient>,
): Promise<Door> {
  const found = await findControl(flags)
  // Another simulator of this folder is not the one that was listened to.
  if ((found.simulator?.data_dir ?? null) !== (target.simulator?.data_dir ?? null))
    throw new UsageError('the simulator is not there')
  const control = new ControlClient(found)
  try {
    await control.health()
  } catch (cause) {
    await control.close()
    throw cause
  }
  opened.add(control)
  return { address: found, account: control.account(account.id) }
}

function tellKept(url: string): void {
  process.stderr.write(
    `paysim: the endpoint ${url} stays: what happens meanwhile is tried again, and comes when \`paysim webhooks listen\` starts again\n`,
  )
}

async function tidyUp(address: ControlAddress, account: string, url: string): Promise<void> {
  try {
    await removeEndpoints(address, account, url)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
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

  async take(arrival: IncomingWebhook): Promise<WebhookAnswer> {
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
    if (event.problem === null && passed) this.#tellOfRefusal(answered)
    this.taken += 1
    if (this.taken >= count) ending.end('counted')
    return answer
  }

  #toldOfRefusal = false

  /** Whoever looks for the fault of a refused webhook looks at its signature first. */
  #tellOfRefusal(status: number): void {
    if (this.#toldOfRefusal || status < 400 || status > 499 || status === 410) return
    this.#toldOfRefusal = true
    process.stderr.write(
      `paysim: your application answered ${status}, and the signature was valid: if it refused the signature, its own verification is at fault. It needs the secret (--print-secret) and the body byte for byte\n`,
    )
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
  throw new UsageError(
    `the simulator at ${origin} is on another machine: its webhooks cannot reach this one. Run \`paysim webhooks listen\` there`,
  )
}

/** On the port that is named, else on that of an endpoint which an earlier start left behind, else on any. */
async function openListener(port: number | undefined, left: readonly number[]): Promise<WebhookListener> {
  if (port === undefined)
    for (const candidate of left)
      try {
        return await listenForWebhooks(candidate)
      } catch {
        // Another `listen` is there, or something else by now.
      }
  try {
    return await listenForWebhooks(port)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`--port ${port ?? 0}: ${why}`)
  }
}

interface Facts {
  readonly url: string
  readonly secret: string
  readonly flags: ListenFlags
  readonly waiting: number
}

function tellReady(account: string, { url, secret, flags, waiting }: Facts): void {
  const where = flags.forwardTo ? `, forwarding to ${flags.forwardTo.href}` : ''
  const lines = [
    `Listening for the webhooks of ${account} on ${url}${where}`,
    ...(flags.printSecret ? [`Secret: ${secret}`] : []),
    ...(waiting > 0 ? [`${waiting} that waited since an earlier start: sent again now`] : []),
    ...(process.stderr.isTTY ? ['Ctrl-C ends it.'] : []),
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

function tellTimeout(taken: number, { count, timeout = 0 }: ListenFlags): void {
  const of = count === undefined ? '' : ` of ${count}`
  process.stderr.write(`paysim: ${taken}${of} webhooks came within ${formatDuration(timeout)}\n`)
  process.exitCode = EXIT.timedOut
}
