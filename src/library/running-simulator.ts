import { demandKnown, type NamesOf } from '../client/call.ts'
import {
  type AccountControl,
  type Archive,
  type Catalogue,
  type CheckoutMode,
  type ClockSetting,
  ControlClient,
  ControlError,
  ControlUnreachableError,
  type Environment,
  type MerchantRecord,
  type ProviderRule,
} from '../client/control-client.ts'
import { type ControlTransport, controlTransport } from '../client/control-transport.ts'
import { ArgumentError } from '../client/errors.ts'
import { type Client, createClient } from '../client/index.ts'
import { openConnections } from '../client/transport/open-transport.ts'
import type { Transport } from '../client/transport/transport.ts'
import type { ResetBody } from '../contract/control/requests.ts'
import { CONTROL_PREFIX } from '../contract/paths.ts'
import { AccountWebhooks, noWebhooks } from './account-webhooks.ts'
import { whyNothingArrives, withClockHints } from './standing-clock.ts'
import { WebhookReceiver, type Webhooks } from './webhook-receiver.ts'

/** A running simulator and the calls of a test suite. It also stops at the end of an `await using` block. */
export interface RunningSimulator {
  /** The address of the merchant API. */
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
  /** The accounts at the time of the connection; a new simulator has `default.test` and `default.live`. */
  readonly accounts: readonly AccountFacts[]
  /** All calls of the control surface. */
  readonly control: ControlClient
  /** Creates a new merchant, separate from those of other tests. */
  createAccount(settings?: AccountSettings): Promise<SimulatedAccount>
  /** Opens an existing account. It gets a webhook receiver only if you ask for one. */
  account(id: string, options?: { readonly webhooks?: boolean }): Promise<SimulatedAccount>
  /** Closes all accounts opened here, and the simulator, if it was started here. */
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const SETTINGS: NamesOf<AccountSettings> = {
  id: true,
  name: true,
  environment: true,
  clock: true,
  rules: true,
  catalogue: true,
  checkoutModes: true,
  seed: true,
  webhooks: true,
}

interface Host {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
  /** Answers calls of the control surface without a connection, if the server was started here. */
  readonly ask?: NonNullable<ControlTransport['ask']>
  /** Stops the server, if it was started here. */
  readonly end?: () => Promise<void>
}

export async function openSimulator(host: Host): Promise<RunningSimulator> {
  const { controlUrl, controlToken, ask } = host
  const transport = { ...controlTransport(), ...(ask ? { ask } : {}) }
  const control = new ControlClient({ controlUrl, token: controlToken }, { transport })
  try {
    const merchants = await control.merchants.list()
    return simulatorOf(host, control, merchants.flatMap(allFacts))
  } catch (cause) {
    await control.close()
    await host.end?.()
    throw cause
  }
}

function simulatorOf(
  { url, controlUrl, controlToken, end }: Host,
  control: ControlClient,
  accounts: readonly AccountFacts[],
): RunningSimulator {
  const opened = new Set<SimulatedAccount>()
  // A test does not wait for a port and for connections of its own.
  const connections = openConnections(new URL(url).origin, {})
  let receiving: Promise<WebhookReceiver> | undefined
  let addresses = 0
  let stopped: Promise<void> | undefined
  let stopping = false

  const openReceiver = async () => {
    receiving ??= WebhookReceiver.open()
    return new AccountWebhooks(await receiving, `${CONTROL_PREFIX}/webhooks/${++addresses}`)
  }

  /** The receiver listens before the account is created, and closes if that fails. */
  const withReceiver = async (
    wanted: boolean,
    open: (receiver: AccountWebhooks | null) => Promise<SimulatedAccount>,
  ) => {
    if (stopping) throw new Error('the simulator was stopped')
    const receiver = wanted ? await openReceiver() : null
    try {
      const account = await open(receiver)
      opened.add(account)
      return account
    } catch (cause) {
      receiver?.close()
      throw cause
    }
  }

  const surround = (
    facts: AccountFacts,
    calls: AccountControl,
    receiver: AccountWebhooks | null,
    leave: () => Promise<void>,
  ) =>
    openAccount(facts, {
      baseUrl: url,
      transport: connections.transport(),
      control,
      calls,
      receiver,
      async onClose(account) {
        opened.delete(account)
        // When the server stops, its merchants are removed with it.
        if (!(stopping && end)) await leave().catch(ignoreGone)
      },
    })

  const createAccount = async (settings: AccountSettings = {}) => {
    demandKnown('createAccount()', settings, SETTINGS)
    return makeAccount(settings)
  }

  const makeAccount = ({
    environment = 'test',
    webhooks = true,
    checkoutModes,
    ...rest
  }: AccountSettings = {}) =>
    withReceiver(webhooks, async receiver => {
      const merchant = await control.merchants.create({
        ...rest,
        ...(checkoutModes ? { checkout_modes: checkoutModes } : {}),
        ...(receiver ? { webhooks: [{ url: receiver.url, environment }] } : {}),
      })
      const facts = factsOf(merchant, environment)
      const calls = control.account(facts.id)
      receiver?.register(merchant.accounts.flatMap(({ webhook_endpoints: made = [] }) => made))
      return surround(facts, calls, receiver, () => control.merchants.remove(merchant.id))
    })

  const findAccount = async (id: string, webhooks: boolean) => {
    const dot = id.lastIndexOf('.')
    const merchant = await control.merchants.get(id.slice(0, dot))
    const facts = factsOf(merchant, id.slice(dot + 1))
    return withReceiver(webhooks, async receiver => {
      const calls = control.account(id)
      const { webhookEndpoints } = calls
      const endpoint = receiver ? await webhookEndpoints.add({ url: receiver.url }) : undefined
      if (endpoint) receiver?.register([endpoint])
      return surround(facts, calls, receiver, async () => {
        if (endpoint) await webhookEndpoints.remove(endpoint.id)
      })
    })
  }

  const stop = async () => {
    stopping = true
    await Promise.all([...opened].map(account => account.close()))
    await Promise.all([control.close(), connections.close(), receiving?.then(receiver => receiver.close())])
    await end?.()
  }

  const simulator: RunningSimulator = {
    url,
    controlUrl,
    controlToken,
    accounts,
    control,
    createAccount,
    async account(id, options) {
      demandKnown('account()', options, { webhooks: true })
      return findAccount(id, options?.webhooks ?? false)
    },
    stop: () => {
      stopped ??= stop()
      return stopped
    },
    [Symbol.asyncDispose]: () => simulator.stop(),
  }
  return simulator
}

/** It was already removed, or the server was stopped, which is fine. */
function ignoreGone(cause: unknown): void {
  if (cause instanceof ControlUnreachableError) return
  if (cause instanceof ControlError && cause.status === 404) return
  throw cause
}

interface AccountContext {
  readonly baseUrl: string
  readonly transport: Transport
  readonly control: ControlClient
  readonly calls: AccountControl
  readonly receiver: AccountWebhooks | null
  /** Additional work when the account closes, before its receiver closes. */
  readonly onClose: (account: SimulatedAccount) => Promise<void>
}

function openAccount(
  facts: AccountFacts,
  { baseUrl, transport, control, calls, receiver, onClose }: AccountContext,
): SimulatedAccount {
  const { publicKey, secretKey } = facts
  const client = withClockHints(createClient({ baseUrl, publicKey, secretKey, transport }), calls)
  receiver?.explainWith(() => whyNothingArrives(calls))
  let closing: Promise<void> | undefined
  const remove = async () => {
    await control.merchants.remove(facts.merchant).catch(ignoreGone)
    await account.close()
  }
  const close = async () => {
    await onClose(account)
    await client.close()
    receiver?.close()
  }
  const { reset, import: adopt } = receiver ? following(receiver, calls) : calls
  // Written out, because V8 takes long to spread so many members.
  const account: SimulatedAccount = {
    clock: calls.clock,
    payments: calls.payments,
    payouts: calls.payouts,
    assets: calls.assets,
    rules: calls.rules,
    faults: calls.faults,
    catalogue: calls.catalogue,
    history: calls.history,
    providerCalls: calls.providerCalls,
    requests: calls.requests,
    events: calls.events,
    deliveries: calls.deliveries,
    redeliver: calls.redeliver,
    timers: calls.timers,
    export: calls.export,
    id: facts.id,
    merchant: facts.merchant,
    environment: facts.environment,
    publicKey,
    secretKey,
    baseUrl,
    client,
    control: calls,
    webhooks: receiver ?? noWebhooks(facts.id),
    reset,
    import: adopt,
    remove,
    close: () => {
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => account.close(),
  }
  return account
}

/** These calls change the account's endpoints, so the receiver must find its own endpoint again. */
function following(
  receiver: AccountWebhooks,
  calls: AccountControl,
): Pick<SimulatedAccount, 'reset' | 'import'> {
  const register = async () => receiver.register(await calls.webhookEndpoints.list())
  return {
    async reset(body) {
      const answer = await calls.reset(body)
      receiver.clear()
      await register()
      return answer
    },
    async import(archive) {
      const answer = await calls.import(archive)
      await register()
      return answer
    },
  }
}

/** The address and the keys of one account. */
export interface AccountFacts {
  readonly id: string
  readonly merchant: string
  readonly environment: Environment
  readonly publicKey: string
  readonly secretKey: string
}

/** The facts of each account of a merchant that has keys. */
function allFacts({ id: merchant, accounts }: MerchantRecord): AccountFacts[] {
  return accounts.flatMap(({ id, environment, public_key: publicKey, secret_key: secretKey }) =>
    publicKey === null || secretKey === null ? [] : [{ id, merchant, environment, publicKey, secretKey }],
  )
}

function factsOf(merchant: MerchantRecord, environment: string): AccountFacts {
  const facts = allFacts(merchant).find(candidate => candidate.environment === environment)
  if (!facts) throw new Error(`${merchant.id}.${environment} is not an account, or has no keys`)
  return facts
}

/** The settings of a new account. Members that are left out have the simulator's defaults. */
export interface AccountSettings {
  /** The merchant's id; the account's own is `<id>.<environment>`. */
  readonly id?: string
  readonly name?: string
  /** `test` by default. */
  readonly environment?: Environment
  readonly clock?: ClockSetting
  readonly rules?: readonly ProviderRule[]
  readonly catalogue?: Catalogue
  readonly checkoutModes?: readonly CheckoutMode[]
  readonly seed?: number | string
  /** Whether the account gets a webhook receiver; true by default. */
  readonly webhooks?: boolean
}

/**
 * One merchant in one environment, with the calls of all sides: merchant, payer, provider, operator, webhook
 * receiver.
 */
export interface SimulatedAccount
  extends Pick<
    AccountControl,
    | 'clock'
    | 'payments'
    | 'payouts'
    | 'assets'
    | 'rules'
    | 'faults'
    | 'catalogue'
    | 'history'
    | 'providerCalls'
    | 'requests'
    | 'events'
    | 'deliveries'
    | 'redeliver'
    | 'timers'
    | 'export'
  > {
  /** `<merchant>.<environment>`. */
  readonly id: string
  readonly merchant: string
  readonly environment: Environment
  readonly publicKey: string
  readonly secretKey: string
  /** The address of the merchant API. */
  readonly baseUrl: string
  /** The merchant API, with the account's keys. */
  readonly client: Client
  readonly webhooks: Webhooks
  /** All calls of the control surface for this account, including those that are left out here. */
  readonly control: AccountControl
  import(archive: Archive): Promise<{ account: string; entries: number }>
  /** Empties the account; its keys stay the same, and so do the settings to keep, such as `keep: ['rules']`. */
  reset(body?: ResetBody): Promise<{ account: string }>
  /** Removes the merchant with both of its accounts, even if something else created it, and closes what was opened here. */
  remove(): Promise<void>
  /** Closes its connections and its receiver, and removes the merchant if `createAccount` created it. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The address and the token, as in the ready line of `paysim serve --json` and the environment of `paysim exec`.
 */
export interface SimulatorAddress {
  readonly controlUrl: string
  readonly controlToken: string
  /** The address of the merchant API. By default it is the control URL without `/_paysim`. */
  readonly url?: string
}

const ADDRESS: NamesOf<SimulatorAddress> = { controlUrl: true, controlToken: true, url: true }

/**
 * Connects to a simulator that runs elsewhere, with the members of the ready line. `stop()` closes only what was
 * opened here; the simulator keeps running.
 */
export async function connectSimulator(address: SimulatorAddress): Promise<RunningSimulator> {
  for (const name of ['controlUrl', 'controlToken'] as const) {
    if (typeof address?.[name] === 'string') continue
    demandKnown('connectSimulator()', address, ADDRESS)
    throw new ArgumentError(`connectSimulator() needs ${name}, a string`)
  }
  const { controlUrl, controlToken, url } = address
  return openSimulator({ url: url ?? controlUrl.replace(/\/_paysim\/*$/, ''), controlUrl, controlToken })
}
