import { type Command, InvalidArgumentError, Option } from 'commander'
import { isLoopback } from '../../../client/address.ts'
import {
  type AccountControl,
  type ControlAddress,
  ControlClient,
  type EndpointRecord,
} from '../../../client/control-client.ts'
import {
  type EventChoice,
  eventMeant,
  OPTIONAL_EVENTS,
  STANDARD_EVENTS,
} from '../../../contract/event-names.ts'
import { WEBHOOK_SECRET } from '../../../contract/redact.ts'
import { findControl } from '../../control/find-control.ts'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { type ControlSession, withControl } from '../../control/session.ts'
import { messageOf, UsageError } from '../../errors/cli-errors.ts'
import { atLeastOne, commaSeparated, milliseconds, port, webhookTarget } from '../../flag-values.ts'
import { outputFlags } from '../../output/formats.ts'
import { warn } from '../../webhooks/deliveries.ts'
import { keepSecret } from '../../webhooks/secret.ts'
import { forwardingTo, type ReceivingFlags, receiveFrom, sayReady, type WebhookSource } from './receive.ts'

const EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']

export const command = (): Command =>
  controlCommand(
    'webhooks listen',
    declare =>
      outputFlags(
        declare
          .description("Receive the simulator's webhooks, show them, and forward them.")
          .option(
            '--forward-to <url>',
            'forward each webhook to this URL, with its original headers and body',
            webhookTarget,
          )
          .addOption(
            new Option(
              '--events <name>',
              'receive only these event types; separate several with commas, or repeat the option',
            )
              .choices(EVENTS)
              .argParser(events),
          )
          .option('--count <n>', 'stop with exit code 0 after this many webhooks', atLeastOne)
          .option('--timeout <duration>', 'stop with exit code 8 after this time, such as 30s', milliseconds)
          .option('--port <port>', 'port to listen on (default: any free port)', port)
          .option(
            '--secret <secret>',
            'sign with this secret (whsec_…) from now on, instead of the saved one',
            secret,
          )
          .option('--keep', 'leave the endpoint registered at the end, and receive missed webhooks next time')
          .option('--print-secret', 'print the signing secret to stderr'),
      ).addHelpText(
        'after',
        `
The command registers its own endpoint at the simulator, and removes it at the end unless you set --keep. The signing
secret is saved in the data directory, so it stays the same. If the simulator restarts, the command reconnects. The
simulator gets the answer of your application, so it sends a rejected webhook again later. If nothing listens
at the forward URL, the answer is 502.
With -o jsonl, each webhook is one line, which \`paysim webhooks verify\` can read.

Examples:
  paysim webhooks listen
  paysim webhooks listen --forward-to http://localhost:3000/webhooks --print-secret
  paysim webhooks listen --events payment.succeeded,payment.failed --account shop.test
  paysim webhooks listen --count 1 --timeout 30s -o jsonl > webhook.jsonl`,
      ),
    { records: false },
  ).action((flags: ListenFlags) => withControl(flags, session => listen(session, flags)))

function secret(text: string): string {
  if (WEBHOOK_SECRET.test(text)) return text
  throw new InvalidArgumentError('It must be whsec_, followed by 24 to 64 bytes in base64.')
}

function events(text: string, before: readonly string[] = []): string[] {
  for (const name of commaSeparated(text)) {
    if (EVENTS.includes(name)) continue
    const meant = eventMeant(name)
    const hint = meant === undefined ? '' : `Did you mean ${meant}? `
    throw new InvalidArgumentError(`${hint}Allowed choices are ${EVENTS.join(', ')}.`)
  }
  return commaSeparated(text, before)
}

interface ListenFlags extends ControlFlags, ReceivingFlags {
  readonly events?: readonly EventChoice[]
  readonly printSecret?: true
  readonly secret?: string
  readonly keep?: true
}

/** Where the receiver takes webhooks. */
const PATH = '/webhooks'

/** Receives an account's webhooks, shows and forwards them, until there is a reason to end. */
async function listen(session: ControlSession, flags: ListenFlags): Promise<void> {
  const { account, target, signal } = session
  refuseRemote(target.controlUrl)
  const secret = await keepSecret(target, flags.secret)
  const opened = new Set<ControlClient>()
  const following = new AbortController()
  let registering: Promise<OwnEndpoint> | undefined
  let endpoint: OwnEndpoint | undefined
  const source: WebhookSource = {
    path: PATH,
    ports: await portsLeftBehind(account, secret),
    isOpenToStrangers: false,
    secrets: async () => [(await registering)?.secret ?? secret],
    newSecrets: async () => [(await (await registering)?.newSecret()) ?? secret],
    async start(url) {
      registering = registerEndpoint(
        { address: target, account },
        { url, events: flags.events, secret },
        () => reopen(session, flags, opened),
      )
      endpoint = await registering
      printReady(account.id, { url, secret: endpoint.secret, flags, waiting: endpoint.waiting })
      follow(endpoint, following.signal, flags)
    },
    async stop(url) {
      following.abort()
      if (flags.keep && endpoint) printKept(url)
      // An interrupted registration may have reached the simulator all the same.
      else if (endpoint || signal.aborted) await removeEndpoint(endpoint?.address ?? target, account.id, url)
      for (const control of opened) await control.close()
    },
  }
  await receiveFrom(source, flags, signal)
}

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
    const why = messageOf(error)
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

interface Facts {
  readonly url: string
  readonly secret: string
  readonly flags: ListenFlags
  readonly waiting: number
}

function printReady(account: string, { url, secret, flags, waiting }: Facts): void {
  const what = waiting === 1 ? '1 webhook that waited' : `${waiting} webhooks that waited`
  sayReady([
    `Listening for webhooks of ${account} on ${url}${forwardingTo(flags)}`,
    ...(flags.printSecret ? [`Secret: ${secret}`] : []),
    ...(waiting > 0 ? [`Sending ${what} since an earlier start.`] : []),
  ])
}

/** How the endpoint is registered. */
export interface EndpointSettings {
  readonly url: string
  readonly events?: readonly EventChoice[] | undefined
  readonly secret: string
}

/** What may happen to the endpoint while `listen` runs. */
interface EndpointEvents {
  /** The account was reset or replaced, and the endpoint is registered again. */
  onAgain(): void
  /** The simulator stopped answering. */
  onGone(): void
  /** It answers again, or another one in its place. `again`: the endpoint had to be registered again. */
  onBack(where: AccountConnection, again: boolean): void
}

/** An account, and the current address of its simulator. */
interface AccountConnection {
  readonly address: ControlAddress
  readonly account: AccountControl
}

/** An endpoint of this process at the simulator, for as long as it listens. */
interface OwnEndpoint {
  readonly secret: string
  /** Where it is registered now: a restarted simulator may have another address. */
  readonly address: ControlAddress
  /** How many webhooks waited since an earlier start. They are sent again now. */
  readonly waiting: number
  /** The secret that it has now. A rotation gives it a new one. */
  newSecret(): Promise<string>
  /** Keeps the endpoint registered until `signal` aborts, even if the account is reset or the simulator restarts. */
  stay(signal: AbortSignal, news: EndpointEvents): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/** `reopen` looks for the simulator again. It fails while there is none. */
async function registerEndpoint(
  first: AccountConnection,
  settings: EndpointSettings,
  reopen: () => Promise<AccountConnection>,
): Promise<OwnEndpoint> {
  const { url } = settings
  let connection = first
  let { secret, waiting } = await register(connection.account, settings)
  const again = async () => {
    const registered = await register(connection.account, settings)
    secret = registered.secret
    return registered.isNew
  }
  return {
    get secret() {
      return secret
    },
    get address() {
      return connection.address
    },
    waiting,
    async newSecret() {
      // If the simulator cannot be asked, the secret is unchanged.
      const endpoints = await connection.account.webhookEndpoints.list().catch(() => [])
      secret = endpoints.find(each => each.url === url)?.secret ?? secret
      return secret
    },
    async stay(signal, news) {
      while (!signal.aborted) {
        await followAccount(connection.account, signal, async () => {
          if (await again()) news.onAgain()
        }).catch(() => {})
        if (signal.aborted) return
        news.onGone()
        for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
          await waitFor(pause, signal)
          try {
            connection = await reopen()
            news.onBack(connection, await again())
            break
          } catch {
            // The simulator is not back yet.
          }
        }
      }
    },
  }
}

/** Calls `onRestart` when the stream starts again, because the account was reset or replaced. Ends with the simulator. */
async function followAccount(
  account: AccountControl,
  signal: AbortSignal,
  onRestart: () => Promise<void>,
): Promise<void> {
  let greeted = false
  for await (const { event } of account.stream(signal)) {
    if (event !== 'hello') continue
    if (greeted) await onRestart()
    greeted = true
  }
}

function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}

interface Registered {
  readonly secret: string
  readonly isNew: boolean
  readonly waiting: number
}

/** Takes over an endpoint that an earlier start kept, with all webhooks that wait for it, or adds a new one. */
async function register(account: AccountControl, settings: EndpointSettings): Promise<Registered> {
  const { url, events, secret } = settings
  const there = (await account.webhookEndpoints.list()).filter(each => each.url === url)
  const same = there.find(each => hasSettings(each, settings))
  for (const other of there) if (other !== same) await account.webhookEndpoints.remove(other.id)
  if (!same) {
    const added = await account.webhookEndpoints.add({ url, secret, ...(events ? { events } : {}) })
    return { secret: added.secret, isNew: true, waiting: 0 }
  }
  const waiting = (await account.deliveries()).filter(
    ({ endpoint, status }) => endpoint === same.id && status === 'pending',
  )
  void sendAgain(
    account,
    waiting.map(({ id }) => id),
  )
  return { secret: same.secret, isNew: false, waiting: waiting.length }
}

/** In order. The caller does not wait, because the answers need the endpoint that it is about to return. */
async function sendAgain(account: AccountControl, deliveries: readonly string[]): Promise<void> {
  // A delivery that is in progress is refused, and needs no other attempt.
  for (const id of deliveries) await Promise.resolve(account.redeliver(id)).catch(() => {})
}

const hasSettings = (endpoint: EndpointRecord, { events, secret }: EndpointSettings) =>
  !endpoint.disabled &&
  endpoint.secret === secret &&
  [...(endpoint.events ?? [])].sort().join() === [...(events ?? [])].sort().join()

/** The ports of endpoints that earlier starts kept: those with the same secret. */
async function portsLeftBehind(account: AccountControl, secret: string): Promise<number[]> {
  const endpoints = await account.webhookEndpoints.list()
  return endpoints.flatMap(endpoint => {
    const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)\/webhooks$/.exec(endpoint.url) ?? []
    return endpoint.secret === secret && port !== undefined ? [Number(port)] : []
  })
}

const PATIENCE_MS = 3000

/** Removes every endpoint with this URL, over new connections: the old ones may have ended with the session. */
async function removeEndpoints(address: ControlAddress, account: string, url: string): Promise<void> {
  const control = new ControlClient(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    const { webhookEndpoints } = control.account(account)
    for (const endpoint of await webhookEndpoints.list())
      if (endpoint.url === url) await webhookEndpoints.remove(endpoint.id)
  } finally {
    await control.close()
  }
}
