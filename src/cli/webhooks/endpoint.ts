import {
  type AccountControl,
  type ControlAddress,
  ControlClient,
  type EndpointRecord,
} from '../../client/control-client.ts'
import type { EventChoice } from '../../contract/event-names.ts'
import { checkWebhook } from '../../library/webhook-checks.ts'
import type { IncomingWebhook } from '../../library/webhook-listener.ts'

/** How the endpoint is registered. */
export interface EndpointSettings {
  readonly url: string
  readonly events?: readonly EventChoice[] | undefined
  readonly secret: string
}

/** What becomes of the endpoint while it is listened at. */
export interface EndpointNews {
  /** The account was emptied or replaced; it is registered again. */
  onAgain(): void
  /** The simulator does not answer any more. */
  onGone(): void
  /** It does again, or another in its place. `again`: it had to be registered again. */
  onBack(where: Door, again: boolean): void
}

/** A simulator's account as it can be called now. */
export interface Door {
  readonly address: ControlAddress
  readonly account: AccountControl
}

/** An endpoint of this process at the simulator, for as long as it listens. */
export interface OwnEndpoint {
  readonly secret: string
  /** Where it is registered now: a simulator that was started again may be elsewhere. */
  readonly address: ControlAddress
  /** How many webhooks waited for it from before, which are sent again now. */
  readonly waiting: number
  /** The secret that a webhook is to be held against: a rotation gives the endpoint another. */
  secretFor(arrival: IncomingWebhook): Promise<string>
  /** Keeps it registered until `signal` aborts, whatever becomes of the account and of the simulator. */
  stay(signal: AbortSignal, news: EndpointNews): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 2000

/** `reopen` finds the simulator once more; it fails as long as there is none. */
export async function registerEndpoint(
  first: Door,
  settings: EndpointSettings,
  reopen: () => Promise<Door>,
): Promise<OwnEndpoint> {
  const { url } = settings
  let door = first
  let { secret, waiting } = await register(door.account, settings)
  const isSignedWith = ({ headers, body }: IncomingWebhook) =>
    checkWebhook({ headers, body: body.toString('utf8'), secret, now: Date.now() }).every(
      ({ check, problem }) => check !== 'signature' || problem === null,
    )
  const again = async () => {
    const registered = await register(door.account, settings)
    secret = registered.secret
    return registered.isNew
  }
  return {
    get secret() {
      return secret
    },
    get address() {
      return door.address
    },
    waiting,
    async secretFor(arrival) {
      if (isSignedWith(arrival)) return secret
      // Where the simulator cannot be asked any more, the secret is what it was.
      const endpoints = await door.account.webhookEndpoints.list().catch(() => [])
      secret = endpoints.find(each => each.url === url)?.secret ?? secret
      return secret
    },
    async stay(signal, news) {
      while (!signal.aborted) {
        await follow(door.account, signal, async () => {
          if (await again()) news.onAgain()
        }).catch(() => {})
        if (signal.aborted) return
        news.onGone()
        for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
          await waitFor(pause, signal)
          try {
            door = await reopen()
            news.onBack(door, await again())
            break
          } catch {
            // Not yet.
          }
        }
      }
    },
  }
}

/** Calls `onAnew` when the stream begins anew: the account was emptied, or replaced. Ends with the simulator. */
async function follow(
  account: AccountControl,
  signal: AbortSignal,
  onAnew: () => Promise<void>,
): Promise<void> {
  let greeted = false
  for await (const { event } of account.stream(signal)) {
    if (event !== 'hello') continue
    if (greeted) await onAnew()
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

/** An endpoint that is there already, left behind by an earlier start, is taken over with all that waits for it. */
async function register(account: AccountControl, settings: EndpointSettings): Promise<Registered> {
  const { url, events, secret } = settings
  const there = (await account.webhookEndpoints.list()).filter(each => each.url === url)
  const same = there.find(each => isAsWanted(each, settings))
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

/** In the order in which they happened. Nobody waits for it: they are answered only once the endpoint is known. */
async function sendAgain(account: AccountControl, deliveries: readonly string[]): Promise<void> {
  // One that is under way by itself just now is refused, which is no matter.
  for (const id of deliveries) await Promise.resolve(account.redeliver(id)).catch(() => {})
}

const isAsWanted = (endpoint: EndpointRecord, { events, secret }: EndpointSettings) =>
  !endpoint.disabled &&
  endpoint.secret === secret &&
  [...(endpoint.events ?? [])].sort().join() === [...(events ?? [])].sort().join()

/** The port of an endpoint that an earlier start left behind, which has the same secret. */
export async function portsLeftBehind(account: AccountControl, secret: string): Promise<number[]> {
  const endpoints = await account.webhookEndpoints.list()
  return endpoints.flatMap(endpoint => {
    const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)\/webhooks$/.exec(endpoint.url) ?? []
    return endpoint.secret === secret && port !== undefined ? [Number(port)] : []
  })
}

const PATIENCE_MS = 3000

/** Removes every endpoint at an address: whatever ended the listening, on connections of its own. */
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
