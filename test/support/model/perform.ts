import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson } from '../../../src/contract/json.ts'
import type { PaymentTrigger } from '../../../src/contract/statuses.ts'
import type { Command } from '../../../src/domain/commands.ts'
import type { Payment } from '../../../src/domain/model.ts'
import type { AnswersKept } from './answers-kept.ts'
import { carryOut } from './carry-out.ts'
import type { Machine } from './machine.ts'
import { must } from './must.ts'
import { CATALOGUES } from './provider.ts'
import { replayEqualsWorld } from './replay-equals-world.ts'
import { ANSWERS, type Step, type StepOf } from './steps.ts'
import { dump } from './world-dump.ts'

type Performers = { [K in Step['kind']]: (step: StepOf<K>, scene: Scene) => void | Promise<void> }
export interface Scene {
  readonly machine: Machine
  readonly kept: AnswersKept
  readonly number: number
}

/** Plays one step. A step whose record does not exist yet does nothing. */
export async function perform(step: Step, scene: Scene): Promise<void> {
  const performer = PERFORMERS[step.kind] as (step: Step, scene: Scene) => void | Promise<void>
  await performer(step, scene)
  await scene.machine.quiet()
}

const digests = ['red', 'green', 'blue'].map(colour => createHash('sha256').update(colour).digest('hex'))
const image = (which: number) => ({ digest: digests[which] ?? '', size: 3, contentType: 'image/png' })

const PERFORMERS: Performers = {
  async create({ mode, method, bank, customer, amount, reference, key }, scene) {
    const request = {
      amount,
      currency: 'THB',
      country: 'TH',
      checkout_mode: mode,
      merchant_reference: reference,
      customer,
      ...(method === undefined
        ? mode === 'merchant'
          ? { payment_method: 'transfer' }
          : {}
        : { payment_method: method }),
      ...(bank === undefined || method === undefined ? {} : { payment_method_options: { bank } }),
    }
    const idempotency = keyed(scene, 'POST /payment_intents', key, canonicalJson(request))
    await does(scene, { type: 'CreatePayment', request, ...idempotency })
  },
  async choose({ pick, method = 'transfer', bank, customer }, scene) {
    const payment = recent(scene.machine.world.payments, pick, hasNoRoute)
    const options = bank === undefined ? {} : { bank }
    if (payment) await does(scene, { type: 'ChooseMethod', payment, method, options, customer }, 'payer')
  },
  async cancel({ pick, key }, scene) {
    const payment = recent(scene.machine.world.payments, pick, isOpen)
    const path = `POST /payment_intents/${payment}/cancel-pending`
    if (payment) await does(scene, { type: 'RequestCancel', payment, ...keyed(scene, path, key, 'cancel') })
  },
  async upload({ pick, image: which, key }, scene) {
    const payment = recent(scene.machine.world.payments, pick, takesReceipt)
    const upload = image(which)
    const path = `POST /payment_intents/${payment}/receipt`
    const idempotency = keyed(scene, path, key, upload.digest)
    if (payment) await does(scene, { type: 'SubmitReceipt', payment, image: { upload }, ...idempotency })
  },
  async attach({ pick, asset: which }, scene) {
    const payment = recent(scene.machine.world.payments, pick, takesReceipt)
    const asset = recent(scene.machine.world.assets, which)
    if (payment && asset) await does(scene, { type: 'SubmitReceipt', payment, image: { asset } })
  },
  async asset({ image: which, other }, scene) {
    await does(
      scene,
      { type: 'StoreAsset', kind: other ? 'other' : 'payment_receipt', image: image(which) },
      'operator',
    )
  },
  async repeat({ pick }, scene) {
    const command = scene.kept.commands.at(-1 - pick)
    if (command) await does(scene, command)
  },
  async trigger({ pick, trigger }, scene) {
    const payment = recent(scene.machine.world.payments, pick, isFor[trigger])
    if (payment) await does(scene, { type: 'MovePayment', payment, trigger }, 'operator')
  },
  async payout({ amount, reference, country, currency, status, backdated }, scene) {
    const createdAt = backdated === null ? null : scene.machine.account.now - backdated
    const recipient = { bankCode: 'bbl', holderName: 'Somchai', accountNumber: '1234567890' }
    const payout = { amount, currency, country, merchantReference: reference, recipient, status, createdAt }
    await does(scene, { type: 'CreatePayout', payout }, 'operator')
  },
  async 'payout-cancel'({ pick, reason }, scene) {
    const payout = recent(scene.machine.world.payouts, pick, ({ status }) => status === 'requires_approval')
    const why = reason === undefined ? {} : { reason }
    if (payout) await does(scene, { type: 'MovePayout', payout, trigger: 'cancel', ...why })
  },
  async 'payout-move'({ pick, trigger }, scene) {
    const from = trigger === 'approve' ? 'requires_approval' : 'processing'
    const payout = recent(scene.machine.world.payouts, pick, ({ status }) => status === from)
    if (payout) await does(scene, { type: 'MovePayout', payout, trigger }, 'operator')
  },
  async unknown({ which }, scene) {
    const commands: Command[] = [
      { type: 'RequestCancel', payment: 'pi_0', ...keyed(scene, 'POST /payment_intents/pi_0', 0, 'cancel') },
      { type: 'SubmitReceipt', payment: 'pi_0', image: { upload: image(0) } },
      {
        type: 'SubmitReceipt',
        payment: recent(scene.machine.world.payments, 0) ?? '',
        image: { asset: 'ast_0' },
      },
      { type: 'ChooseMethod', payment: 'pi_0', method: 'qr', options: {}, customer: {} },
      { type: 'MovePayment', payment: 'pi_0', trigger: 'succeed' },
      { type: 'MovePayout', payout: 'po_0', trigger: 'approve' },
      { type: 'RemoveEndpoint', endpoint: 'we_0' },
      { type: 'RotateEndpointSecret', endpoint: 'we_0', overlapMs: 0 },
      { type: 'Redeliver', delivery: 'dlv_0' },
    ]
    const command = commands[which]
    if (command) await does(scene, command)
  },
  async rules({ rules }, scene) {
    await does(scene, { type: 'ReplaceRules', rules }, 'operator')
  },
  async 'rules-in-front'({ rules }, scene) {
    await does(scene, { type: 'PutRulesInFront', rules }, 'operator')
  },
  async catalogue({ which }, scene) {
    const catalogue = CATALOGUES[which]
    if (catalogue) await does(scene, { type: 'ReplaceCatalogue', catalogue }, 'operator')
  },
  async health({ provider, healthy }, scene) {
    await does(scene, { type: 'SetProviderHealth', provider, healthy }, 'operator')
  },
  async policy({ modes }, { machine }) {
    machine.checkoutModes = modes
  },
  async endpoint({ events, answers }, scene) {
    const { machine } = scene
    const outcome = await does(scene, { type: 'AddEndpoint', url: 'http://localhost/', events }, 'operator')
    if ('id' in outcome) machine.receivers.set(outcome.id, { answers, heard: 0 })
  },
  async 'endpoint-removed'({ pick }, scene) {
    const endpoint = recent(scene.machine.world.endpoints, pick)
    if (endpoint) await does(scene, { type: 'RemoveEndpoint', endpoint }, 'operator')
  },
  async secret({ pick, overlapMs }, scene) {
    const endpoint = recent(scene.machine.world.endpoints, pick)
    if (endpoint) await does(scene, { type: 'RotateEndpointSecret', endpoint, overlapMs }, 'operator')
  },
  async faults({ faults }, scene) {
    await does(scene, { type: 'ReplaceFaults', faults }, 'operator')
  },
  async redeliver({ pick }, scene) {
    const delivery = recent(scene.machine.world.deliveries, pick)
    if (delivery) await does(scene, { type: 'Redeliver', delivery }, 'operator')
  },
  async answer({ pick }, { machine }) {
    const attempt = machine.open[pick % Math.max(1, machine.open.length)]
    const answer = ANSWERS[pick] ?? 200
    if (attempt && answer !== 'slow') await machine.answer(attempt, answer)
  },
  async 'late-answer'({ pick }, scene) {
    const delivery = recent(scene.machine.world.deliveries, pick)
    const result = { status: 200, error: null, retryAfterMs: null, body: '', timestamp: 0, signature: '' }
    if (delivery) await does(scene, { type: 'RecordAttempt', delivery, attempt: 0, result }, 'courier')
  },
  async advance({ byMs }, { machine }) {
    await machine.advance(machine.account.now + byMs)
  },
  async 'next-timer'({ pastMs }, { machine }) {
    const { next } = machine.world.timers
    if (next) await machine.advance(Math.max(machine.account.now, next.dueAt + pastMs))
  },
  async idle(_, { machine }) {
    for (let { next } = machine.world.timers; next; next = machine.world.timers.next)
      await machine.advance(Math.max(machine.account.now, next.dueAt))
  },
  async clock({ rate }, { machine }) {
    machine.setClock(rate)
  },
  async restart({ tornBytes }, { machine }) {
    const before = dump(machine.world)
    await machine.restart(tornBytes)
    must(isDeepStrictEqual(dump(machine.world), before), 'a restart gives the same world')
  },
  async replay(_, { machine }) {
    await replayEqualsWorld(machine)
  },
}

/** A record by how recently it was created: 0 is the latest one of those that are preferred. */
function recent<T>(
  records: Iterable<[string, T]>,
  pick: number,
  prefers: (record: T) => boolean = () => true,
): string | undefined {
  const all = [...records].map(([id]) => id)
  const preferred = [...records].filter(([, record]) => prefers(record)).map(([id]) => id)
  const ids = pick > 5 || preferred.length === 0 ? all : preferred
  return ids.at(-1 - (pick % Math.min(3, ids.length || 1)))
}

const isOpen = ({ outcome }: Payment) => outcome === null
const hasNoRoute = ({ outcome, action, route }: Payment) => outcome === null && action !== null && !route
const takesReceipt = ({ outcome, receipt }: Payment) => outcome === null && receipt !== null
const isFor: Record<PaymentTrigger, (payment: Payment) => boolean> = {
  'present-action': ({ outcome, action }) => outcome === null && action === null,
  'withdraw-action': ({ action }) => action !== null,
  succeed: isOpen,
  fail: isOpen,
  expire: isOpen,
  'accept-receipt': ({ outcome, receipt }) => outcome === null && receipt?.status === 'processing',
  'reject-receipt': ({ outcome, receipt }) => outcome === null && receipt?.status === 'processing',
  'confirm-cancel': ({ outcome, cancelRequestedAt }) => outcome === null && cancelRequestedAt !== null,
}

const does = (
  scene: Scene,
  command: Command,
  by: 'merchant' | 'operator' | 'payer' | 'courier' = 'merchant',
) => carryOut(scene.machine, scene.kept, command, by)

const keyed = ({ number }: Scene, path: string, key: number | undefined, fingerprint: string) =>
  key === undefined
    ? {}
    : { idempotency: { scope: `${path} key-${key}`, fingerprint, requestId: `req_${number}` } }
