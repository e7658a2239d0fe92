import type { Scenario } from '../load/load.ts'
import { type CatalogueLists, overlay } from '../load/overlay.ts'
import type { CatalogueOverlay } from '../schema/catalogue.ts'
import { Control, ControlError } from './control.ts'
import type { Inbox } from './receiver.ts'
import type { Keys, SimulatorTarget } from './target.ts'

/** A merchant made for one run of one scenario, as the file wants it. */
export interface RunAccount {
  readonly id: string
  readonly merchant: string
  readonly environment: 'test' | 'live'
  readonly keys: Readonly<Record<'test' | 'live', Keys>>
  readonly control: Control
  readonly inbox: Inbox
}

/** Where standing time begins, unless the file says: far from the wall's, so that a real instant in a story shows. */
const STORY_BEGINS = '2030-01-01T00:00:00Z'

export async function makeAccount(
  { data }: Scenario,
  target: SimulatorTarget,
  wanted: string,
): Promise<RunAccount> {
  const control = new Control(target.wire, target.controlUrl, target.controlToken)
  const environment = data.environment ?? 'test'
  const { merchant, inbox, keys } = await makeMerchant(data, target, control, wanted)
  const id = `${merchant}.${environment}`
  const path = `/accounts/${id}`
  const endpoints = await control.demand<{ data: { secret: string }[] }>('GET', `${path}/webhook-endpoints`)
  inbox.secret = endpoints.data[0]?.secret ?? ''
  if (data.receiver?.answers) inbox.behave(data.receiver.answers)
  if (data.catalogue) await layOver(control, path, data.catalogue)
  if (data.faults) await control.demand('PUT', `${path}/faults`, { faults: data.faults })
  return { id, merchant, environment, keys, control, inbox }
}

const ENVIRONMENTS = ['test', 'live'] as const

async function makeMerchant(
  data: Scenario['data'],
  { receiver, merchants }: SimulatorTarget,
  control: Control,
  wanted: string,
) {
  const events = data.receiver?.events
  // On a simulator that is shared another run may have the name.
  for (let nth = 1; ; nth++) {
    const merchant = nth === 1 ? wanted : `${wanted}-${nth}`
    const inbox = receiver.inbox(merchant)
    const answer = await control.send('POST', '/merchants', {
      id: merchant,
      name: data.name,
      seed: data.seed ?? 1,
      clock: clockOf(data.clock),
      ...(data.policy ? { checkout_modes: data.policy.checkout_modes } : {}),
      ...(data.provider ? { rules: data.provider } : {}),
      webhooks: [{ url: inbox.url, environment: data.environment ?? 'test', ...(events ? { events } : {}) }],
    })
    if (answer.status === 201) {
      const { accounts } = answer.body as { accounts: (Keys & { environment: 'test' | 'live' })[] }
      const [test, live] = ENVIRONMENTS.map(name => accounts.find(({ environment }) => environment === name))
      merchants.add(merchant)
      if (!test || !live) throw new ControlError('POST /merchants', answer)
      return { merchant, inbox, keys: { test, live } }
    }
    inbox.close()
    if (answer.status !== 422 || nth === 1000) throw new ControlError('POST /merchants', answer)
  }
}

function clockOf(clock: Scenario['data']['clock']): object {
  const setting = typeof clock === 'object' ? clock : { mode: clock ?? 'virtual' }
  return setting.mode === 'virtual' ? { now: STORY_BEGINS, ...setting } : setting
}

/** Over what the account has: the default catalogue of whoever runs the simulator. */
export async function layOver(control: Control, path: string, over: CatalogueOverlay): Promise<void> {
  const base = await control.demand<CatalogueLists>('GET', `${path}/catalogue`)
  await control.demand('PUT', `${path}/catalogue`, overlay(base, over))
}
