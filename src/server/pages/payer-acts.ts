import type { Payment } from '../../domain/model.ts'
import { carryOut, demandAvailable } from '../carry-out.ts'
import { choose, sendReceipt } from '../payer.ts'
import type { Form } from '../read-image.ts'
import { RefusalError, refuse, refuseProblems } from '../refusal.ts'
import type { Opened } from './opening.ts'
import { isSimulatorAct, nextDue, type SimulatorAct } from './simulator.ts'

/** The actions of the payer on a page, and those of the simulator's bar. */
export async function act(opened: Opened, form: Form): Promise<void> {
  const { runtime, payment } = opened
  const id = payment.sortKey.id
  const name = form.fields.get('act')
  switch (name) {
    case 'choose':
      return choose(runtime, id, field => form.fields.get(field))
    case 'receipt':
      return sendReceipt(runtime, id, form)
    case 'jump':
      return advanceToNextChange(opened)
    default:
      if (!isSimulatorAct(name))
        throw refuseProblems([{ field: 'act', message: 'is not an action of this page' }])
      await carryOut(runtime, { type: 'MovePayment', payment: id, trigger: name }, 'payer')
  }
}

/** Whether the requested change has already happened. */
export function isAlreadyDone(payment: Payment, { fields }: Form): boolean {
  const act = fields.get('act')
  return isSimulatorAct(act) && IS_DONE[act](payment)
}

const IS_DONE: { readonly [A in SimulatorAct]: (payment: Payment) => boolean } = {
  succeed: ({ outcome }) => outcome === 'succeeded',
  fail: ({ outcome, cancelled }) => outcome === 'failed' && !cancelled,
  expire: ({ outcome, cancelled }) => outcome === 'expired' && !cancelled,
  'confirm-cancel': ({ cancelled }) => cancelled,
  'accept-receipt': ({ receipt }) => receipt?.status === 'submitted',
  'reject-receipt': ({ receipt }) => receipt?.status === 'rejected',
}

/** Advances to the next change of this payment, and does everything that is due before it. */
async function advanceToNextChange({ runtime, payment }: Opened): Promise<void> {
  await demandAvailable(runtime)
  const due = nextDue(runtime, payment)
  if (due === undefined) throw refuse('invalid_state', 'No timer of this payment is pending')
  const result = await runtime.time.advance(() => ({ until: due, limit: due }))
  if ('refused' in result) throw new RefusalError(result.refused)
}
