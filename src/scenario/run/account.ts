import {
  type AccountControl,
  type Catalogue,
  type ControlClient,
  ControlError,
  type NewMerchant,
} from '../../client/control-client.ts'
import type { ProviderRule } from '../../contract/control/rules.ts'
import type { EventChoice } from '../../contract/event-names.ts'
import type { Path } from '../load/problems.ts'
import { type CatalogueLists, type CatalogueOverlay, CLOCK_BEGINS, overlay } from '../schema/account.ts'
import type { Scenario, ScenarioData } from '../schema/file.ts'
import { Inbox, type Webhook } from './inbox.ts'
import type { SimulatorTarget } from './target.ts'

/** Creates a merchant for one run of a scenario, and sets it up as the file says. */
export interface RunAccount {
  readonly id: string
  readonly merchant: string
  readonly environment: 'test' | 'live'
  readonly keys: Readonly<Record<'test' | 'live', Keys>>
  readonly control: AccountControl
  readonly simulator: ControlClient
  readonly inbox: Inbox
  readonly clock: ReturnType<typeof clockOf>
}

interface Keys {
  readonly publicKey: string
  readonly secretKey: string
}

export async function makeAccount(
  { data }: Scenario,
  target: SimulatorTarget,
  wanted: string,
  webhookSecret?: string,
): Promise<RunAccount> {
  const environment = data.environment ?? 'test'
  const { merchant, inbox, keys, made } = await makeMerchant(data, target, wanted)
  const id = `${merchant}.${environment}`
  const control = target.control.account(id)
  // The endpoint of an application may need its own secret, and is returned with it.
  const endpoint = data.app
    ? await control.webhookEndpoints.add({
        url: inbox.url,
        ...eventsOf(data),
        ...(webhookSecret === undefined ? {} : { secret: webhookSecret }),
      })
    : made
  inbox.secret = endpoint?.secret ?? ''
  if (data.receiver?.answers) inbox.behave(data.receiver.answers)
  if (data.catalogue) await mergeCatalogue(control, data.catalogue)
  if (data.faults) await control.faults.replace(data.faults)
  return {
    id,
    merchant,
    environment,
    keys,
    control,
    simulator: target.control,
    inbox,
    clock: clockOf(data.clock),
  }
}

async function makeMerchant(
  data: Scenario['data'],
  { receiver, merchants, control }: SimulatorTarget,
  wanted: string,
) {
  // On a shared simulator, another run may already use this name.
  for (let nth = 1; ; nth++) {
    const merchant = nth === 1 ? wanted : `${wanted}-${nth}`
    const inbox = new Inbox(receiver, merchant)
    try {
      const { accounts } = await control.merchants.create({
        id: merchant,
        name: data.name,
        seed: data.seed ?? 1,
        clock: clockOf(data.clock),
        ...(data.policy ? { checkout_modes: data.policy.checkout_modes } : {}),
        ...(data.provider ? { rules: data.provider } : {}),
        ...(data.app
          ? {}
          : { webhooks: [{ url: inbox.url, environment: data.environment ?? 'test', ...eventsOf(data) }] }),
      })
      merchants.add(merchant)
      const keysOf = (environment: 'test' | 'live'): Keys => {
        const account = accounts.find(one => one.environment === environment)
        return { publicKey: account?.public_key ?? '', secretKey: account?.secret_key ?? '' }
      }
      const [made] = accounts.flatMap(({ webhook_endpoints: endpoints = [] }) => endpoints)
      return { merchant, inbox, keys: { test: keysOf('test'), live: keysOf('live') }, made }
    } catch (error) {
      inbox.close()
      if (!(error instanceof ControlError) || error.status !== 422 || nth === 1000) throw error
    }
  }
}

function eventsOf({ receiver, app }: Scenario['data']): { events?: readonly EventChoice[] } {
  const events = [...(receiver?.events ?? []), ...(app?.events ?? [])]
  return events.length > 0 ? { events: [...new Set(events)] } : {}
}

function clockOf(clock: Scenario['data']['clock']): NonNullable<NewMerchant['clock']> {
  const setting = typeof clock === 'object' ? clock : { mode: clock ?? 'virtual' }
  return setting.mode === 'virtual' ? { now: CLOCK_BEGINS, ...setting } : setting
}

/** Merges a catalogue into that of the account, which depends on how the simulator was started. */
export async function mergeCatalogue(control: AccountControl, over: CatalogueOverlay): Promise<void> {
  const base = (await control.catalogue.get()) as unknown as CatalogueLists
  await control.catalogue.replace(overlay(base, over) as Catalogue)
}

/** Where a rule or a fault is in the file, and how often it was used. */
export interface Use extends Omit<Listed, 'usedBefore'> {
  readonly used: number
}

interface Listed {
  readonly path: Path
  readonly what: string
  readonly off: boolean
  /** How often it was used when it was listed here: it may continue another one. */
  readonly usedBefore: number
}

type Named = Pick<ProviderRule, 'name' | 'off'>

const listed = (
  key: string,
  path: Path,
  items: readonly Named[],
  usedBefore: readonly number[] = [],
): Listed[] =>
  items.map(({ name, off = false }, at) => ({
    path: [...path, at],
    what: name ?? `${key} ${at + 1}`,
    off,
    usedBefore: usedBefore[at] ?? 0,
  }))

/**
 * Tracks how often each rule and fault of the file was used. The simulator counts by index, and steps change the lists.
 */
export class Tracker {
  readonly expected = new Set<Webhook>()
  rules: Listed[]
  faults: Listed[]
  readonly gone: { rules: Use[]; faults: Use[] } = { rules: [], faults: [] }

  constructor({ provider = [], faults = [] }: ScenarioData) {
    this.rules = listed('rule', ['provider'], provider)
    this.faults = listed('fault', ['faults'], faults)
  }

  uses(kind: 'rules' | 'faults', used: readonly number[]): Use[] {
    return [
      ...this.gone[kind],
      ...this[kind].map((one, at) => ({ ...one, used: (used[at] ?? 0) - one.usedBefore })),
    ]
  }

  /** `used` is how often those before were used, and `usedBefore` how often those that they continue were. */
  replace(
    kind: 'rules' | 'faults',
    used: readonly number[],
    path: Path,
    items: readonly Named[],
    usedBefore: readonly number[],
  ): void {
    this.gone[kind] = this.uses(kind, used)
    this[kind] = listed(kind.slice(0, -1), path, items, usedBefore)
  }

  addRules(path: Path, items: readonly Named[]): void {
    this.rules = [...listed('rule', path, items), ...this.rules]
  }
}
