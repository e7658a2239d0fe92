import type { DomainEvent } from '../events.ts'
import type { PaymentTrigger } from '../lifecycle.ts'
import type { Failure } from '../model.ts'
import { type PaymentTimer, paymentTimer } from '../timers.ts'

/** A timer that executes the trigger in its name. */
export const triggerLater = (payment: string, trigger: PaymentTrigger & PaymentTimer, dueAt: number) =>
  moveLater(payment, trigger, dueAt, trigger)

/** A trigger that a timer will execute later. */
export function moveLater(
  payment: string,
  kind: PaymentTimer,
  dueAt: number,
  trigger: PaymentTrigger,
  failure?: Partial<Failure>,
): DomainEvent {
  return {
    type: 'TimerSet',
    timer: paymentTimer(payment, kind),
    dueAt,
    command: failure
      ? { type: 'MovePayment', payment, trigger, failure }
      : { type: 'MovePayment', payment, trigger },
  }
}
