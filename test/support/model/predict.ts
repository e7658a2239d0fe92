import type { CatalogueData, RouteEntry } from '../../../src/domain/catalogue.ts'
import type { Command } from '../../../src/domain/commands.ts'
import type { PAYOUT_MOVES } from '../../../src/domain/lifecycle.ts'
import { type Payment, statusOf } from '../../../src/domain/model.ts'
import type { Machine } from './machine.ts'
import { CATALOGUES, expectedRoute, PROVIDERS } from './provider.ts'

/** The code with which a command should be refused; null if it should be executed. */
export type Prediction = string | null
type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>

/** Checks that come before the replay of a stored answer: the record of the request must exist. */
export function predictEarly(machine: Machine, command: Command): Prediction {
  const { payments, assets } = machine.world
  switch (command.type) {
    case 'RequestCancel':
      return payments.has(command.payment) ? null : 'not_found'
    case 'SubmitReceipt': {
      if (!payments.has(command.payment)) return 'not_found'
      if (!('asset' in command.image)) return null
      const asset = assets.get(command.image.asset)
      return asset ? (asset.kind === 'other' ? 'validation_failed' : null) : 'not_found'
    }
    default:
      return null
  }
}

export function predict(machine: Machine, command: Command): Prediction | undefined {
  const { payments, payouts, endpoints, deliveries } = machine.world
  switch (command.type) {
    case 'CreatePayment':
      return creation(machine, command)
    case 'ChooseMethod':
      return choice(machine, command)
    case 'RequestCancel':
      return cancellation(machine, command.payment)
    case 'SubmitReceipt':
      return submission(machine, command)
    case 'MovePayment':
      return move(payments.get(command.payment), command.trigger)
    case 'MovePayout': {
      const payout = payouts.get(command.payout)
      const from: readonly string[] = PAYOUT_TABLE[command.trigger]
      return payout ? (from.includes(payout.status) ? null : 'invalid_state') : 'not_found'
    }
    case 'RemoveEndpoint':
    case 'RotateEndpointSecret':
      return endpoints.has(command.endpoint) ? null : 'not_found'
    case 'Redeliver': {
      const delivery = deliveries.get(command.delivery)
      if (!delivery) return 'not_found'
      const live = endpoints.get(delivery.endpointId)?.disabled === false
      return live && delivery.status !== 'attempting' ? null : 'invalid_state'
    }
    case 'RecordAttempt': {
      const delivery = deliveries.get(command.delivery)
      const expected = delivery?.status === 'attempting' && delivery.attempts.length === command.attempt
      return expected ? null : 'invalid_state'
    }
    case 'ReplaceCatalogue':
      return command.catalogue === CATALOGUES.at(-1) ? 'validation_failed' : null
    case 'SetProviderHealth':
      return PROVIDERS.slice(0, 2).includes(command.provider) ? null : 'not_found'
    // Other tests check whether rules are consistent.
    case 'ReplaceRules':
    case 'PutRulesInFront':
      return undefined
    default:
      return null
  }
}

const PAYOUT_TABLE: Record<keyof typeof PAYOUT_MOVES, readonly string[]> = {
  approve: ['requires_approval'],
  cancel: ['requires_approval'],
  succeed: ['processing'],
  fail: ['processing'],
}

const routesNow = ({ world }: Machine) => {
  const data = world.catalogue?.data ?? CATALOGUES[0] ?? { providers: [], methods: [], routes: [] }
  const isHealthy = (id: string) =>
    world.health.get(id) ?? data.providers.some(provider => provider.id === id && provider.healthy)
  return { data, isHealthy }
}

function creation(machine: Machine, { request }: CommandOf<'CreatePayment'>): Prediction {
  const { data, isHealthy } = routesNow(machine)
  const { amount, payment_method: method, payment_method_options: options, customer } = request
  const mode = request.checkout_mode ?? 'hosted'
  if (!machine.checkoutModes.includes(mode)) return 'checkout_mode_not_allowed'
  if (isUnknownBank(data, method, options?.bank)) return 'validation_failed'
  const wanted = { mode, amount, method, bank: options?.bank }
  const route = expectedRoute(data, isHealthy, wanted)
  if (typeof route === 'string') return route
  return method !== undefined && lacks(route.payer, customer) ? 'validation_failed' : null
}

function isUnknownBank(data: CatalogueData, method: string | undefined, bank: string | undefined): boolean {
  const known = data.methods.find(({ code }) => code === method)
  return bank !== undefined && known !== undefined && !known.banks?.some(({ code }) => code === bank)
}

const lacks = (payer: RouteEntry['payer'], customer: { name?: string; phone?: string }) =>
  (payer?.customer_name && !customer.name) || (payer?.customer_phone && !customer.phone)

function choice(machine: Machine, command: CommandOf<'ChooseMethod'>): Prediction {
  const payment = machine.world.payments.get(command.payment)
  if (!payment) return 'not_found'
  if (payment.route) return repeatsChoice(payment, command) ? null : 'invalid_state'
  if (statusOf(payment) !== 'pending') return 'invalid_state'
  const { data, isHealthy } = routesNow(machine)
  const { bank } = command.options
  if (isUnknownBank(data, command.method, bank)) return 'validation_failed'
  const wanted = { mode: 'hosted' as const, amount: payment.amount, method: command.method, bank }
  const route = expectedRoute(data, isHealthy, wanted)
  if (typeof route === 'string') return route
  return lacks(route.payer, { ...payment.customer, ...command.customer }) ? 'validation_failed' : null
}

/** If an answer was lost, choosing the same again is safe, even if the payment has ended since. */
function repeatsChoice({ route, options, customer }: Payment, command: CommandOf<'ChooseMethod'>): boolean {
  const whole = (given: object) => JSON.stringify(Object.entries(given).sort())
  return (
    route?.method === command.method &&
    whole(options) === whole(command.options) &&
    whole(customer) === whole({ ...customer, ...command.customer })
  )
}

function cancellation(machine: Machine, id: string): Prediction {
  const payment = machine.world.payments.get(id)
  if (!payment) return 'not_found'
  if (statusOf(payment) !== 'pending') return 'invalid_state'
  return machine.frozen.get(id)?.cancel_pending ? null : 'provider_capability_unsupported'
}

function submission(machine: Machine, { payment: id, image }: CommandOf<'SubmitReceipt'>): Prediction {
  const { payments, assets } = machine.world
  const payment = payments.get(id)
  if (!payment) return 'not_found'
  const { receipt } = payment
  const asset = 'asset' in image ? assets.get(image.asset) : undefined
  const isElsewhere = !!asset && asset.paymentId !== null && asset.paymentId !== id
  const digest = 'upload' in image ? image.upload.digest : asset?.digest
  const isTaken = receipt?.status === 'processing' || receipt?.status === 'submitted'
  // If an answer was lost, repeating the request is safe, even if the payment has ended since.
  if (isTaken && receipt.digest === digest && !isElsewhere) return null
  if (statusOf(payment) !== 'pending') return 'invalid_state'
  if (machine.frozen.get(id)?.receipt !== 'required') return 'provider_capability_unsupported'
  return isElsewhere || isTaken ? 'invalid_state' : null
}

function move(payment: Payment | undefined, trigger: CommandOf<'MovePayment'>['trigger']): Prediction {
  if (!payment) return 'not_found'
  const status = statusOf(payment)
  const open = status === 'pending' || status === 'processing'
  const isJudged = payment.receipt?.status === 'processing'
  const isHeld = payment.cancelRequestedAt !== null || isJudged || payment.receipt?.status === 'rejected'
  const possible = {
    'present-action': status === 'processing',
    'withdraw-action': status === 'pending' && !isHeld,
    succeed: open && payment.route !== null,
    fail: open,
    expire: open,
    'accept-receipt': isJudged,
    'reject-receipt': isJudged,
    'confirm-cancel': open && payment.cancelRequestedAt !== null,
  }
  return possible[trigger] ? null : 'invalid_state'
}
