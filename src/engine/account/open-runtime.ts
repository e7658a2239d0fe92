import type { Contract } from '../../contract/decisions.ts'
import { ENVIRONMENTS, type Environment } from '../../contract/statuses.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import type { WebhookEvent } from '../../domain/model.ts'
import type { Rule } from '../../domain/rules/rule.ts'
import type { Checkpoints } from '../checkpoint/checkpoints.ts'
import type { Holds } from '../holds.ts'
import type { ImageStore } from '../store/image-store.ts'
import type { MerchantRecord } from '../store/merchant-record.ts'
import type { Store } from '../store/store.ts'
import type { RealTime } from '../time/real-time.ts'
import { TimeTravel } from '../time/time-travel.ts'
import { Courier, type HoldWebhook } from '../webhooks/courier.ts'
import type { WebhookSender } from '../webhooks/webhook-sender.ts'
import { Account } from './account.ts'
import { secretOf } from './account-secret.ts'
import { Rendering } from './rendering.ts'

export interface GatewaySettings {
  readonly store: Store
  readonly contract: Contract
  readonly catalogue: Catalogue
  /** The rules in force for an account without its own. */
  readonly rules: readonly Rule[]
  readonly seed: string | null
  readonly time: RealTime
  readonly baseUrl: () => string
  readonly webhooks: WebhookSender
  readonly holds: Holds
  /** How long one advance waits for webhook receivers in all. */
  readonly advanceWaitMs: number
  readonly holdWebhook?: HoldWebhook | undefined
  /** A message for the person at the terminal. */
  readonly warn: (message: string) => void
}

export const accountId = (merchant: string, environment: Environment) => `${merchant}.${environment}`

export const accountsOf = (merchant: string) =>
  ENVIRONMENTS.map(environment => accountId(merchant, environment))

/** An empty account of a merchant, and its records as text. */
export function newAccount(
  { contract, catalogue, rules, time, baseUrl }: GatewaySettings,
  merchant: () => MerchantRecord,
  environment: Environment,
  seed = merchant().accounts[environment].seed,
): { readonly account: Account; readonly rendering: Rendering } {
  const account: Account = new Account({
    id: accountId(merchant().id, environment),
    environment,
    seed,
    secret: () => secretOf(merchant().accounts[environment]),
    time,
    outerContext: () => {
      const { name, checkoutModes } = merchant()
      return { contract, catalogue, rules, merchantName: name, checkoutModes, webhookBody }
    },
  })
  const rendering = new Rendering(account, contract, baseUrl)
  const webhookBody = (event: WebhookEvent) => rendering.event(event)
  return { account, rendering }
}

/**
 * An account with its journal replayed and everything that serves it. Its timers and webhooks wait until it begins. Its
 * time is not earlier than when the server stopped.
 */
export async function openRuntime(
  settings: GatewaySettings,
  merchant: () => MerchantRecord,
  environment: Environment,
): Promise<AccountRuntime> {
  const { catalogue, rules, time, store } = settings
  const { account, rendering } = newAccount(settings, merchant, environment)
  const courier = new Courier(account, {
    bodyOf: event => rendering.event(event),
    wall: time.wall,
    sender: settings.webhooks,
    holds: settings.holds,
    hold: settings.holdWebhook,
  })
  const { journal, checkpoints, images, wallMs, stoppedAt } = await store.openAccount(account)
  if (journal.seed !== undefined) account.reseed(journal.seed)
  const before = wallMs === undefined ? stoppedAt : account.clock.atWall(wallMs)
  account.open(journal, before, checkpoints)
  return {
    account,
    courier,
    rendering,
    images,
    checkpoints,
    time: new TimeTravel(account, courier, {
      receiversMs: settings.advanceWaitMs,
      monotonic: time.monotonic,
    }),
    merchantId: merchant().id,
    checkoutModes: () => merchant().checkoutModes,
    merchantName: () => merchant().name,
    catalogue,
    rules,
    removed: false,
    begin() {
      account.fireDue()
      courier.resume()
    },
  }
}

/** An account with everything that serves it. Code that answers a request holds only a runtime. */
export interface AccountRuntime {
  readonly account: Account
  readonly courier: Courier
  readonly images: ImageStore
  /** Undefined if its journal is not kept. */
  readonly checkpoints: Checkpoints | undefined
  readonly rendering: Rendering
  readonly time: TimeTravel
  readonly merchantId: string
  /** The checkout modes that the merchant's Team policy allows now. */
  readonly checkoutModes: () => readonly ('hosted' | 'merchant')[]
  readonly merchantName: () => string
  /** The catalogue in force for an account without its own. */
  readonly catalogue: Catalogue
  /** The rules in force for an account without its own. */
  readonly rules: readonly Rule[]
  /** Set when its merchant is removed, because a running request may still hold the runtime. */
  removed: boolean
  /** Starts timers and webhooks. The server must know its own address, because webhooks contain it. */
  begin(): void
}
