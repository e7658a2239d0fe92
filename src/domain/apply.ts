import { LIMITS } from '../contract/limits.ts'
import { applyDeliveryEvent } from './apply-delivery.ts'
import { applyPaymentEvent } from './apply-payment.ts'
import { applyPayoutEvent } from './apply-payout.ts'
import { indexCatalogue } from './catalogue.ts'
import type { DomainEvent, Entry, EventOf } from './events.ts'
import { compileFaults } from './faults/fault.ts'
import { countMatch } from './match-limits.ts'
import { compileRule } from './rules/rule.ts'
import type { MutableWorld } from './world.ts'

/** The only code that changes a world. It does not check events, because `decide` has checked everything. */
export function apply(world: MutableWorld, entry: Entry): void {
  world.seq = entry.seq
  if (entry.by !== 'courier') world.moves += 1
  world.at = entry.at
  for (const event of entry.events) applyEvent(world, event)
}

function applyEvent(world: MutableWorld, event: DomainEvent): void {
  switch (event.type) {
    case 'PaymentCreated':
    case 'RouteFrozen':
    case 'ActionPresented':
    case 'ActionWithdrawn':
    case 'ReceiptSubmitted':
    case 'ReceiptAccepted':
    case 'ReceiptRejected':
    case 'CancelRequested':
    case 'PaymentSucceeded':
    case 'PaymentFailed':
    case 'PaymentExpired':
    case 'PaymentCancelled':
      return applyPaymentEvent(world, event)
    case 'PayoutCreated':
    case 'PayoutApproved':
    case 'PayoutSucceeded':
    case 'PayoutFailed':
    case 'PayoutCancelled':
      return applyPayoutEvent(world, event)
    case 'EventEmitted':
    case 'EndpointAdded':
    case 'EndpointSecretsSet':
    case 'EndpointDisabled':
    case 'EndpointRemoved':
    case 'DeliveryQueued':
    case 'DeliveryMoved':
    case 'AttemptStarted':
    case 'AttemptEnded':
      return applyDeliveryEvent(world, event)
    case 'AssetStored': {
      const { asset: id, kind, digest, size, contentType } = event
      world.assets.add(id, { id, kind, digest, size, contentType, paymentId: null, createdAt: world.at })
      return
    }
    case 'AnswerKept':
      return keepAnswer(world, event)
    case 'TimerSet':
      return world.timers.set(event.timer, event.dueAt, event.command, isOfNewPayment(world, event))
    case 'TimerFired':
      return world.timers.clear(event.timer)
    case 'RulesReplaced':
      world.rules = event.rules?.map(compileRule) ?? null
      world.ruleCounts.clear()
      return
    case 'RulesPutInFront':
      world.rules = [
        ...event.rules.map(compileRule),
        ...(world.rules ?? event.standard?.map(compileRule) ?? []),
      ]
      world.ruleCounts = new Map([...world.ruleCounts].map(([at, count]) => [at + event.rules.length, count]))
      return
    case 'RulesConsulted':
      return countMatch(world.ruleCounts, event)
    case 'FaultsReplaced':
      world.faults = compileFaults(event.faults, world.at)
      world.faultCounts.clear()
      return
    case 'FaultsCounted':
      return countMatch(world.faultCounts, event)
    case 'CatalogueReplaced':
      world.catalogue = indexCatalogue(event.catalogue)
      world.health.clear()
      return
    case 'ProviderHealthSet':
      world.health.set(event.provider, event.healthy)
      return
    case 'ClockSet':
      world.clock = event.clock
      return
    default:
      return event satisfies never
  }
}

const isOfNewPayment = (world: MutableWorld, { command }: EventOf<'TimerSet'>) =>
  'payment' in command && world.payments.isNew(command.payment)

function keepAnswer(world: MutableWorld, { scope, fingerprint, answer }: EventOf<'AnswerKept'>): void {
  world.kept.deleteBefore(world.at - LIMITS.idempotencyWindowMs + 1)
  const payment = 'payment' in answer ? world.payments.get(answer.payment) : undefined
  const kept = 'payment' in answer ? (payment ? { payment } : undefined) : answer
  if (!kept) throw new Error(`the journal keeps an answer for ${scope} without its payment`)
  world.kept.delete(scope)
  world.kept.add(scope, { fingerprint, at: world.at, answer: kept, seq: world.seq })
}
