import { ControlClient, ControlError, ControlUnreachableError } from '../client/control-client.ts'
import { demandKnown, type NamesOf } from '../client/options.ts'
import { type AccountFacts, allFacts, factsOf } from './account-facts.ts'
import { AccountWebhooks } from './account-webhooks.ts'
import { openAccount } from './open-account.ts'
import type { AccountSettings, SimulatedAccount } from './simulated-account.ts'

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

export interface Host {
  readonly url: string
  readonly controlUrl: string
  readonly controlToken: string
  /** Stops the server, if it was started here. */
  readonly end?: () => Promise<void>
}

export async function openSimulator(host: Host): Promise<RunningSimulator> {
  const control = new ControlClient({ controlUrl: host.controlUrl, token: host.controlToken })
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
  let stopped: Promise<void> | undefined
  let stopping = false

  /** The receiver listens before the account is created, and closes if that fails. */
  const withReceiver = async (
    wanted: boolean,
    open: (receiver: AccountWebhooks | null) => Promise<SimulatedAccount>,
  ) => {
    if (stopping) throw new Error('the simulator was stopped')
    const receiver = wanted ? await AccountWebhooks.open() : null
    try {
      const account = await open(receiver)
      opened.add(account)
      return account
    } catch (cause) {
      await receiver?.close()
      throw cause
    }
  }

  const surround = (facts: AccountFacts, receiver: AccountWebhooks | null, leave: () => Promise<void>) =>
    openAccount(facts, {
      baseUrl: url,
      control,
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
      receiver?.register(await control.account(facts.id).webhookEndpoints.list())
      return surround(facts, receiver, () => control.merchants.remove(merchant.id))
    })

  const findAccount = async (id: string, webhooks: boolean) => {
    const dot = id.lastIndexOf('.')
    const merchant = await control.merchants.get(id.slice(0, dot))
    const facts = factsOf(merchant, id.slice(dot + 1))
    return withReceiver(webhooks, async receiver => {
      const { webhookEndpoints } = control.account(id)
      const endpoint = receiver ? await webhookEndpoints.add({ url: receiver.url }) : undefined
      if (endpoint) receiver?.register([endpoint])
      return surround(facts, receiver, async () => {
        if (endpoint) await webhookEndpoints.remove(endpoint.id)
      })
    })
  }

  const stop = async () => {
    stopping = true
    await Promise.all([...opened].map(account => account.close()))
    await control.close()
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
