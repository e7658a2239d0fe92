import type { Command } from 'commander'
import { formatDuration } from '../../../contract/durations.ts'
import { isSignedWith } from '../../../contract/webhook-check.ts'
import { ANY_PATH, type WebhookHandler, WebhookReceiver } from '../../../library/webhook-receiver.ts'
import { newCommand } from '../../command-table.ts'
import { InterruptedError, messageOf, UsageError, untilInterrupted } from '../../errors/cli-errors.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { atLeastOne, milliseconds, port, tolerance, webhookTarget } from '../../flag-values.ts'
import { type OutputFlags, outputFlags } from '../../output/formats.ts'
import { deliveryPrinter, warn } from '../../webhooks/deliveries.ts'
import { WebhookForwarder } from '../../webhooks/forwarder.ts'
import { SaveFolder } from '../../webhooks/saved.ts'
import { readSecrets } from '../../webhooks/secret.ts'

export const command = (): Command =>
  outputFlags(
    newCommand('webhooks receive')
      .description(
        'Receive webhooks of any gateway through your own tunnel: verify, show, forward and save them.',
      )
      .option('--port <port>', 'port to listen on, on 127.0.0.1 (default: any free port)', port)
      .option(
        '--secret-file <file>',
        "read the endpoint's secrets from this file, one or several; - means stdin (default: PAYSIM_WEBHOOK_SECRET)",
      )
      .option(
        '--forward-to <url>',
        'forward each verified webhook to this URL, with its original headers and body',
        webhookTarget,
      )
      .option('--save <dir>', 'save each verified webhook as a file in this folder, at most 1000')
      .option(
        '--tolerance <duration>',
        'largest age of a webhook, or none for any age (default: 5m)',
        tolerance,
      )
      .option('--count <n>', 'stop with exit code 0 after this many verified webhooks', atLeastOne)
      .option('--timeout <duration>', 'stop with exit code 8 after this time, such as 30s', milliseconds),
  )
    .addHelpText(
      'after',
      `
The command takes POST requests to any path, with bodies of at most 1 MiB. Let your tunnel lead to its port, and register
the tunnel's address at the gateway. The secret file may have several secrets, such as the old and the new one while you
rotate them; it is read again when a signature does not match.
A webhook that is not verified is shown with what is wrong with it, answered 400, and neither forwarded nor saved. The
gateway gets your application's answer to the others, 502 if there is none, and 200 without --forward-to.
\`paysim webhooks replay\` sends saved webhooks again.

Examples:
  paysim webhooks receive --port 4100 --secret-file secret.txt
  paysim webhooks receive --port 4100 --secret-file secret.txt --forward-to localhost:3000/webhooks --save hooks
  paysim webhooks receive --secret-file secret.txt --count 1 --timeout 5m -o jsonl > webhook.jsonl`,
    )
    .action(receive)

export interface ReceivingFlags extends OutputFlags {
  readonly forwardTo?: URL
  readonly count?: number
  readonly timeout?: number
  readonly port?: number
}

interface ReceiveFlags extends ReceivingFlags {
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
async function receive(flags: ReceiveFlags): Promise<void> {
  let secrets = await readSecrets(flags.secretFile)
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
  await untilInterrupted(signal => receiveFrom(source, flags, signal))
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
    const why = messageOf(cause)
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
