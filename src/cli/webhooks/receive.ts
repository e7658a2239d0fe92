import { formatDuration } from '../../contract/durations.ts'
import { isSignedWith } from '../../contract/webhook-check.ts'
import { ANY_PATH, type WebhookHandler, WebhookReceiver } from '../../library/webhook-receiver.ts'
import { InterruptedError, UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import type { OutputFlags } from '../output/formats.ts'
import { deliveryPrinter, warn } from './deliveries.ts'
import { WebhookForwarder } from './forwarder.ts'
import { SaveFolder } from './saved.ts'
import { readSecrets } from './secret.ts'

export interface ReceivingFlags extends OutputFlags {
  readonly forwardTo?: URL
  readonly count?: number
  readonly timeout?: number
  readonly port?: number
}

export interface ReceiveFlags extends ReceivingFlags {
  readonly secretFile?: string
  readonly save?: string
  /** Infinite for any age. */
  readonly tolerance?: number
}

/** Where webhooks come from. */
export interface WebhookSource {
  readonly path: string
  /** The ports to try first, if the user names none. */
  readonly ports?: readonly number[]
  /** The largest body. */
  readonly most?: number
  /** Whether anybody can send something, as through a tunnel: then only what is verified is taken. */
  readonly isOpenToStrangers: boolean
  readonly checks?: WebhookHandler['checks']
  secrets(): Promise<readonly string[]>
  /** Asked when those do not match: they may have changed meanwhile. */
  newSecrets(): Promise<readonly string[]>
  /** Called when webhooks can arrive at this URL. */
  start(url: string): Promise<void>
  /** Called at the end, also after a `start` that failed. */
  stop(url: string): Promise<void>
}

/** Shows, forwards and saves the webhooks of a source, until there is a reason to end. */
export async function receiveFrom(
  source: WebhookSource,
  flags: ReceivingFlags & { readonly save?: string },
  interruption: AbortSignal,
): Promise<void> {
  const saving = flags.save === undefined ? undefined : await SaveFolder.open(flags.save)
  const ending = openEnding(interruption)
  const printer = await deliveryPrinter(flags, () => ending.end('reader gone'))
  const receiver = await openReceiver(flags.port, source)
  const url = receiver.url + (source.path === ANY_PATH ? '/' : source.path)
  const forwarder = new WebhookForwarder({
    printer,
    saving,
    takesUnverified: !source.isOpenToStrangers,
    forwardTo: flags.forwardTo,
    count: flags.count,
    onFull: () => ending.end('counted'),
    signal: ending.signal,
  })
  receiver.add(source.path, {
    ...(source.checks ? { checks: source.checks } : {}),
    async secrets(incoming) {
      const secrets = await source.secrets()
      return isSignedWith(incoming, secrets) ? secrets : source.newSecrets()
    },
    take: (event, incoming) => forwarder.take(event, incoming),
  })
  try {
    await source.start(url)
    if (flags.timeout !== undefined) ending.startClock(flags.timeout)
    const reason = await ending.reached
    if (reason === 'interrupted') throw new InterruptedError()
    if (reason === 'timed out') reportTimeout(forwarder.taken, flags)
  } finally {
    ending.close()
    await receiver.idle()
    await printer.end()
    await source.stop(url)
    await receiver.close()
  }
}

/** A larger one is no webhook. */
const MOST_BODY = 1024 * 1024

/** Receives webhooks of any gateway. Anybody who knows the tunnel's address can send something. */
export async function receive(flags: ReceiveFlags): Promise<void> {
  let secrets = await readSecrets(flags.secretFile)
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new InterruptedError())
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const source: WebhookSource = {
    path: ANY_PATH,
    most: MOST_BODY,
    isOpenToStrangers: true,
    checks: { anyBody: true, toleranceMs: flags.tolerance },
    secrets: async () => secrets,
    async newSecrets() {
      // While somebody writes the file, it may be empty.
      if (flags.secretFile !== '-') secrets = await readSecrets(flags.secretFile).catch(() => secrets)
      return secrets
    },
    async start(url) {
      const saving = flags.save === undefined ? '' : `, saving in ${flags.save}`
      sayReady([`Receiving webhooks on ${url}${forwardingTo(flags)}${saving}`])
    },
    async stop() {},
  }
  try {
    await receiveFrom(source, flags, interruption.signal)
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
}

export const forwardingTo = ({ forwardTo }: ReceivingFlags) =>
  forwardTo ? `, forwarding to ${forwardTo.href}` : ''

export function sayReady(lines: readonly string[]): void {
  const stop = process.stderr.isTTY ? ['Press Ctrl-C to stop.'] : []
  process.stderr.write(`${[...lines, ...stop].join('\n')}\n`)
}

/** Listens on the given port, else on one of those of the source that is free, else on any. */
async function openReceiver(
  port: number | undefined,
  { ports = [], most }: WebhookSource,
): Promise<WebhookReceiver> {
  const settings = most === undefined ? {} : { most }
  if (port === undefined)
    for (const candidate of ports)
      try {
        return await WebhookReceiver.open({ ...settings, port: candidate })
      } catch {
        // Another command, or another program, has this port by now.
      }
  try {
    return await WebhookReceiver.open({ ...settings, port })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`--port ${port ?? 0}: ${why}`)
  }
}

function reportTimeout(taken: number, { count, timeout = 0 }: ReceivingFlags): void {
  const of = count === undefined ? '' : ` of ${count}`
  warn(`timed out: ${taken}${of} webhooks arrived within ${formatDuration(timeout)}`)
  process.exitCode = EXIT.timedOut
}

/** Why receiving ended. */
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
  // When the terminal closes, nobody reads on, but what was opened elsewhere must still be removed.
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
