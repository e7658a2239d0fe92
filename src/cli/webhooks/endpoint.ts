import {
  type AccountControl,
  type ControlAddress,
  ControlClient,
  type EndpointRecord,
} from '../../client/control-client.ts'
import type { EventChoice } from '../../contract/event-names.ts'
import { checkWebhook } from '../../library/webhook-checks.ts'
import type { IncomingWebhook } from '../../library/webhook-receiver.ts'

/** How the endpoint is registered. */
export interface EndpointSettings {
  readonly url: string
  readonly events?: readonly EventChoice[] | undefined
  readonly secret: string
}

/** What may happen to the endpoint while `listen` runs. */
export interface EndpointEvents {
  /** The account was reset or replaced, and the endpoint is registered again. */
  onAgain(): void
  /** The simulator stopped answering. */
  onGone(): void
  /** It answers again, or another one in its place. `again`: the endpoint had to be registered again. */
  onBack(where: AccountConnection, again: boolean): void
}

/** An account, and the current address of its simulator. */
export interface AccountConnection {
  readonly address: ControlAddress
  readonly account: AccountControl
}

/** An endpoint of this process at the simulator, for as long as it listens. */
export interface OwnEndpoint {
  readonly secret: string
  /** Where it is registered now: a restarted simulator may have another address. */
  readonly address: ControlAddress
  /** How many webhooks waited since an earlier start. They are sent again now. */
  readonly waiting: number
  /** The secret to check a webhook with. A rotation gives the endpoint a new one. */
  secretFor(webhook: IncomingWebhook): Promise<string>
  /** Keeps the endpoint registered until `signal` aborts, even if the account is reset or the simulator restarts. */
  stay(signal: AbortSignal, news: EndpointEvents): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/** `reopen` looks for the simulator again. It fails while there is none. */
export async function registerEndpoint(
  first: AccountConnection,
  settings: EndpointSettings,
  reopen: () => Promise<AccountConnection>,
): Promise<OwnEndpoint> {
  const { url } = settings
  let connection = first
  let { secret, waiting } = await register(connection.account, settings)
  const isSignedWith = ({ headers, body }: IncomingWebhook) =>
    checkWebhook({ headers, body: body.toString('utf8'), secret, now: Date.now() }).every(
      ({ check, problem }) => check !== 'signature' || problem === null,
    )
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
    async secretFor(webhook) {
      if (isSignedWith(webhook)) return secret
      // If the simulator cannot be asked, the secret is unchanged.
      const endpoints = await connection.account.webhookEndpoints.list().catch(() => [])
      secret = endpoints.find(each => each.url === url)?.secret ?? secret
      return secret
    },
    async stay(signal, news) {
      while (!signal.aborted) {
        await follow(connection.account, signal, async () => {
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
async function follow(
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
export async function portsLeftBehind(account: AccountControl, secret: string): Promise<number[]> {
  const endpoints = await account.webhookEndpoints.list()
  return endpoints.flatMap(endpoint => {
    const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)\/webhooks$/.exec(endpoint.url) ?? []
    return endpoint.secret === secret && port !== undefined ? [Number(port)] : []
  })
}

const PATIENCE_MS = 3000

/** Removes every endpoint with this URL, over new connections: the old ones may have ended with the session. */
export async function removeEndpoints(address: ControlAddress, account: string, url: string): Promise<void> {
  const control = new ControlClient(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    const { webhookEndpoints } = control.account(account)
    for (const endpoint of await webhookEndpoints.list())
      if (endpoint.url === url) await webhookEndpoints.remove(endpoint.id)
  } finally {
    await control.close()
  }
}
