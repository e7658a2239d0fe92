import { type ControlAddress, ControlClient } from '../../client/control-client.ts'
import { isLoopback } from '../../client/loopback.ts'
import { formatDuration } from '../../contract/durations.ts'
import type { EventChoice } from '../../contract/event-names.ts'
import { WebhookReceiver } from '../../library/webhook-receiver.ts'
import { findControl } from '../control/find-control.ts'
import type { ControlFlags } from '../control/flags.ts'
import type { ControlSession } from '../control/session.ts'
import { InterruptedError, UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { deliveryPrinter } from './deliveries.ts'
import {
  type AccountConnection,
  type OwnEndpoint,
  portsLeftBehind,
  registerEndpoint,
  removeEndpoints,
} from './endpoint.ts'
import { Inbox } from './inbox.ts'
import { keepSecret } from './secret.ts'

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

/** Where the receiver takes webhooks. */
const PATH = '/webhooks'

/** Receives an account's webhooks, shows and forwards them, until there is a reason to end. */
export async function listen(session: ControlSession, flags: ListenFlags): Promise<void> {
  const { account, target, signal } = session
  refuseRemote(target.controlUrl)
  const ending = openEnding(signal)
  const printer = await deliveryPrinter(flags, () => ending.end('reader gone'))
  const secret = await keepSecret(target, flags.secret)
  const receiver = await openReceiver(flags.port, await portsLeftBehind(account, secret))
  const url = receiver.url + PATH
  const opened = new Set<ControlClient>()
  const registering = registerEndpoint(
    { address: target, account },
    { url, events: flags.events, secret },
    () => reopen(session, flags, opened),
  )
  const inbox = new Inbox({
    printer,
    forwardTo: flags.forwardTo,
    count: flags.count,
    onFull: () => ending.end('counted'),
    signal: ending.signal,
  })
  receiver.add(PATH, {
    secret: async incoming => (await registering).secretFor(incoming),
    take: (event, incoming) => inbox.take(event, incoming),
  })
  const following = new AbortController()
  let registered = false
  try {
    const endpoint = await registering
    registered = true
    printReady(account.id, { url, secret: endpoint.secret, flags, waiting: endpoint.waiting })
    follow(endpoint, following.signal, flags)
    if (flags.timeout !== undefined) ending.startClock(flags.timeout)
    const reason = await ending.reached
    if (reason === 'interrupted') throw new InterruptedError()
    if (reason === 'timed out') reportTimeout(inbox.taken, flags)
  } finally {
    ending.close()
    following.abort()
    await receiver.idle()
    await printer.end()
    const address = registered ? (await registering).address : target
    if (flags.keep && registered) printKept(url)
    // An interrupted registration may have reached the simulator all the same.
    else if (registered || signal.aborted) await removeEndpoint(address, account.id, url)
    for (const control of opened) await control.close()
    await receiver.close()
  }
}

const warn = (message: string) => void process.stderr.write(`paysim: ${message}\n`)

function follow(endpoint: OwnEndpoint, signal: AbortSignal, { printSecret }: ListenFlags): void {
  const secret = () => (printSecret ? `\nSecret: ${endpoint.secret}` : '')
  void endpoint.stay(signal, {
    onAgain: () => warn(`the account was reset or replaced: the endpoint is registered again${secret()}`),
    onGone: () => warn('the simulator does not answer: no webhooks arrive until it is back'),
    onBack: ({ address }, again) =>
      warn(
        `the simulator is back at ${new URL(address.controlUrl).origin}: the endpoint is ${
          again ? `registered again${secret()}` : 'still registered'
        }`,
      ),
  })
}

/** Finds the simulator again: after a restart it may have another port and another token. */
async function reopen(
  { account, target }: ControlSession,
  flags: ListenFlags,
  opened: Set<ControlClient>,
): Promise<AccountConnection> {
  const found = await findControl(flags)
  // Do not listen to another simulator of this folder instead.
  if ((found.simulator?.data_dir ?? null) !== (target.simulator?.data_dir ?? null))
    throw new UsageError('another simulator runs in this folder now')
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

function printKept(url: string): void {
  warn(
    `the endpoint ${url} stays registered. Webhooks that fail meanwhile are sent again when \`paysim webhooks listen\` starts again`,
  )
}

async function removeEndpoint(address: ControlAddress, account: string, url: string): Promise<void> {
  try {
    await removeEndpoints(address, account, url)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(`the endpoint ${url} is still registered, because it could not be removed: ${why}`)
  }
}

/** Webhooks of a remote simulator would go to its own machine, not to this one. */
function refuseRemote(controlUrl: string): void {
  const { hostname, origin } = new URL(controlUrl)
  if (isLoopback(hostname)) return
  throw new UsageError(
    `the simulator at ${origin} is on another machine: its webhooks cannot reach this one; run \`paysim webhooks listen\` there`,
  )
}

/** Listens on the given port, else on that of an endpoint that an earlier `listen` kept, else on any. */
async function openReceiver(port: number | undefined, left: readonly number[]): Promise<WebhookReceiver> {
  if (port === undefined)
    for (const candidate of left)
      try {
        return await WebhookReceiver.open(candidate)
      } catch {
        // Another `listen`, or another program, has this port by now.
      }
  try {
    return await WebhookReceiver.open(port)
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

function printReady(account: string, { url, secret, flags, waiting }: Facts): void {
  const where = flags.forwardTo ? `, forwarding to ${flags.forwardTo.href}` : ''
  const what = waiting === 1 ? '1 webhook that waited' : `${waiting} webhooks that waited`
  const lines = [
    `Listening for webhooks of ${account} on ${url}${where}`,
    ...(flags.printSecret ? [`Secret: ${secret}`] : []),
    ...(waiting > 0 ? [`Sending ${what} since an earlier start.`] : []),
    ...(process.stderr.isTTY ? ['Press Ctrl-C to stop.'] : []),
  ]
  process.stderr.write(`${lines.join('\n')}\n`)
}

function reportTimeout(taken: number, { count, timeout = 0 }: ListenFlags): void {
  const of = count === undefined ? '' : ` of ${count}`
  warn(`timed out: ${taken}${of} webhooks arrived within ${formatDuration(timeout)}`)
  process.exitCode = EXIT.timedOut
}

/** Why listening ended. */
type EndingReason = 'counted' | 'timed out' | 'interrupted' | 'reader gone'

interface Ending {
  readonly reached: Promise<EndingReason>
  /** Aborted when work in progress need not be awaited. */
  readonly signal: AbortSignal
  end(reason: EndingReason): void
  startClock(timeoutMs: number): void
  /** Removes timers and listeners, which would keep the process running. */
  close(): void
}

/** The first reason to end wins. */
function openEnding(interruption: AbortSignal): Ending {
  const cutting = new AbortController()
  let clock: NodeJS.Timeout | undefined
  let settle: (reason: EndingReason) => void = () => {}
  const reached = new Promise<EndingReason>(resolve => {
    settle = resolve
  })
  const end = (reason: EndingReason) => {
    settle(reason)
    if (reason !== 'counted') cutting.abort()
  }
  const interrupt = () => end('interrupted')
  interruption.addEventListener('abort', interrupt, { once: true })
  // When the terminal closes, nobody reads on, but the endpoint must still be removed.
  process.once('SIGHUP', interrupt)
  return {
    reached,
    signal: cutting.signal,
    end,
    startClock(timeoutMs) {
      clock = setTimeout(end, timeoutMs, 'timed out')
    },
    close() {
      clearTimeout(clock)
      interruption.removeEventListener('abort', interrupt)
      process.off('SIGHUP', interrupt)
    },
  }
}
