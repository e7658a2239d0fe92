import { invalid } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Command } from '../../domain/commands.ts'
import type { Payment } from '../../domain/model.ts'
import { carryOut, demandAvailable } from '../carry-out.ts'
import { type Form, imageIn } from '../read-image.ts'
import { RefusalError, refuse, refuseProblems } from '../refusal.ts'
import type { Opened } from './opening.ts'
import { ReceiptRefusalError } from './problem.ts'
import { isSimulatorAct, nextDue, type SimulatorAct } from './simulator.ts'

/** The actions of the payer on a page, and those of the simulator's bar. */
export async function act(opened: Opened, form: Form): Promise<void> {
  const { runtime, payment } = opened
  const id = payment.sortKey.id
  const name = form.fields.get('act')
  switch (name) {
    case 'choose':
      await carryOut(runtime, chosen(id, form.fields), 'payer')
      return
    case 'receipt':
      return submitReceipt(opened, form)
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
  const { route, options } = payment
  const act = fields.get('act')
  if (act === 'choose')
    return (
      route?.method === fields.get('method') && (options.bank ?? '') === (fields.get('bank')?.trim() ?? '')
    )
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

async function submitReceipt({ runtime, payment }: Opened, form: Form): Promise<void> {
  const received = imageIn(form)
  if ('problem' in received) throw new ReceiptRefusalError(received.problem.kind)
  const { pieces, size, digest, contentType } = received.image
  await runtime.images.put(digest, pieces)
  const upload = { digest, contentType, size }
  await carryOut(runtime, { type: 'SubmitReceipt', payment: payment.sortKey.id, image: { upload } }, 'payer')
}

/** Advances to the next change of this payment, and does everything that is due before it. */
async function advanceToNextChange({ runtime, payment }: Opened): Promise<void> {
  await demandAvailable(runtime)
  const due = nextDue(runtime, payment)
  if (due === undefined) throw refuse('invalid_state', 'No timer of this payment is pending')
  const result = await runtime.time.advance(() => ({ until: due, limit: due }))
  if ('refused' in result) throw new RefusalError(result.refused)
}

function chosen(payment: string, fields: ReadonlyMap<string, string>): Command {
  const long: string[] = []
  const given = (names: Record<string, string>) => {
    const entries = Object.entries(names).map(([key, name]) => [key, fields.get(name)?.trim() ?? ''] as const)
    for (const [key, value] of entries) if ([...value].length > LONGEST) long.push(names[key] ?? key)
    return Object.fromEntries(entries.filter(([, value]) => value !== ''))
  }
  const choice: Command = {
    type: 'ChooseMethod',
    payment,
    method: fields.get('method') ?? '',
    options: given({
      account_name: 'account_name',
      account_number: 'account_number',
      bank: 'bank',
      name_th: 'name_th',
    }),
    customer: given({ name: 'customer_name', phone: 'customer_phone' }),
  }
  const message = `must have at most ${LONGEST} characters`
  if (long.length > 0) throw new RefusalError(invalid(long.map(field => ({ field, message }))))
  return choice
}

const LONGEST = LIMITS.textLength
