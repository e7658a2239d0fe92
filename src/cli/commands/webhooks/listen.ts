import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
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
import { type ControlFlags, type ControlSession, controlCommand, withControl } from '../../control/session.ts'
import { messageOf, UsageError } from '../../errors/cli-errors.ts'
import { atLeastOne, commaSeparated, milliseconds, port, webhookTarget } from '../../flag-values.ts'
import { outputFlags } from '../../output/formats.ts'
import { optionFor } from '../../values.ts'
import { warn } from '../../webhooks/deliveries.ts'
import { keepSecret } from '../../webhooks/secret.ts'
import { whereControlIs } from '../../where/where.ts'
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
            optionFor(
              '--events <name>',
              'receive only these event types; separate several with commas, or repeat the option',
              { list: true },
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
async function listen({ account, target, signal }: ControlSession, flags: ListenFlags): Promise<void> {
  refuseRemote(target.controlUrl)
  const secret = await keepSecret(target, flags.secret)
  const endpoint = new OwnEndpoint({ target, account }, flags, secret)
  const source: WebhookSource = {
    path: PATH,
    ports: await portsLeftBehind(account, secret),
    isOpenToStrangers: false,
    secrets: () => endpoint.secrets(),
    newSecrets: () => endpoint.newSecrets(),
    start: url => endpoint.open(url),
    // An interrupted registration may have reached the simulator all the same.
    stop: url => endpoint.close(url, signal.aborted),
  }
  await receiveFrom(source, flags, signal)
}

/** Webhooks of a remote simulator would go to its own machine, not to this one. */
function refuseRemote(controlUrl: string): void {
  const { hostname, origin } = new URL(controlUrl)
  if (isLoopback(hostname)) return
  throw new UsageError(
    `the simulator at ${origin} is on another machine: its webhooks cannot reach this one; run \`paysim webhooks listen\` there`,
  )
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/** The endpoint of this process. It stays registered, even if the account is reset or the simulator restarts. */
class OwnEndpoint {
  #url = ''
  #secret: string
  /** Where it is registered now: a restarted simulator may have another address. */
  #at: Pick<ControlSession, 'target' | 'account'>
  /** The client of a simulator that came back. */
  #control: ControlClient | undefined
  #registered: Promise<Registered> | undefined
  readonly #flags: ListenFlags
  /** The secret that it is registered with, which a rotation does not change. */
  readonly #kept: string
  readonly #following = new AbortController()

  constructor(at: Pick<ControlSession, 'target' | 'account'>, flags: ListenFlags, secret: string) {
    this.#at = at
    this.#flags = flags
    this.#kept = this.#secret = secret
  }

  async open(url: string): Promise<void> {
    this.#url = url
    this.#registered = this.#register()
    const { waiting } = await this.#registered
    const what = waiting === 1 ? '1 webhook that waited' : `${waiting} webhooks that waited`
    sayReady([
      `Listening for webhooks of ${this.#at.account.id} on ${url}${forwardingTo(this.#flags)}`,
      ...(this.#flags.printSecret ? [`Secret: ${this.#secret}`] : []),
      ...(waiting > 0 ? [`Sending ${what} since an earlier start.`] : []),
    ])
    void this.#stay(this.#following.signal)
  }

  /** Webhooks may come before the registration is answered. */
  async secrets(): Promise<string[]> {
    await this.#registered
    return [this.#secret]
  }

  /** The secret that it has now: a rotation gives it a new one. If the simulator cannot be asked, it is unchanged. */
  async newSecrets(): Promise<string[]> {
    await this.#registered
    const endpoints = await this.#at.account.webhookEndpoints.list().catch(() => [])
    this.#secret = endpoints.find(each => each.url === this.#url)?.secret ?? this.#secret
    return [this.#secret]
  }

  async close(url: string, isInterrupted: boolean): Promise<void> {
    this.#following.abort()
    const isOpen = await this.#registered?.then(
      () => true,
      () => false,
    )
    if (this.#flags.keep && isOpen)
      warn(
        `the endpoint ${url} stays registered. Webhooks that fail meanwhile are sent again when \`paysim webhooks listen\` starts again`,
      )
    else if (isOpen || isInterrupted)
      await removeEndpoints(this.#at.target, this.#at.account.id, url).catch(error =>
        warn(`the endpoint ${url} is still registered, because it could not be removed: ${messageOf(error)}`),
      )
    await this.#control?.close()
  }

  async #register(): Promise<Registered> {
    const { events } = this.#flags
    const registered = await register(this.#at.account, { url: this.#url, events, secret: this.#kept })
    this.#secret = registered.secret
    return registered
  }

  async #stay(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#followAccount(signal).catch(() => {})
      if (signal.aborted) return
      warn('the simulator does not answer: no webhooks arrive until it is back')
      for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
        await sleep(pause, undefined, { signal }).catch(() => {})
        // The simulator may not be back yet.
        if (await this.#reopen().catch(() => false)) break
      }
    }
  }

  /** The stream starts again when the account was reset or replaced, and ends with the simulator. */
  async #followAccount(signal: AbortSignal): Promise<void> {
    let greeted = false
    for await (const { event } of this.#at.account.stream(signal)) {
      if (event !== 'hello') continue
      if (greeted && (await this.#register()).isNew)
        warn(`the account was reset or replaced: the endpoint is registered again${this.#secretLine()}`)
      greeted = true
    }
  }

  /** Finds the simulator again: after a restart it may have another port and another token. */
  async #reopen(): Promise<true> {
    const target = await whereControlIs(this.#flags).control()
    // Do not listen to another simulator of this folder instead.
    if ((target.simulator?.data_dir ?? null) !== (this.#at.target.simulator?.data_dir ?? null))
      throw new UsageError('another simulator runs in this folder now')
    const control = new ControlClient(target)
    try {
      await control.health()
    } catch (cause) {
      await control.close()
      throw cause
    }
    await this.#control?.close()
    this.#control = control
    this.#at = { target, account: control.account(this.#at.account.id) }
    const { isNew } = await this.#register()
    warn(
      `the simulator is back at ${new URL(target.controlUrl).origin}: the endpoint is ${
        isNew ? `registered again${this.#secretLine()}` : 'still registered'
      }`,
    )
    return true
  }

  #secretLine(): string {
    return this.#flags.printSecret ? `\nSecret: ${this.#secret}` : ''
  }
}

/** How the endpoint is registered. */
interface EndpointSettings {
  readonly url: string
  readonly events?: readonly EventChoice[] | undefined
  readonly secret: string
}

interface Registered {
  readonly secret: string
  readonly isNew: boolean
  /** How many webhooks waited since an earlier start. They are sent again now. */
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
