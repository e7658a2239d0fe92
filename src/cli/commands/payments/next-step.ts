import { FINAL_STATUSES, type PaymentIntent } from '../../../client/index.ts'
import { visible } from '../../output/visible.ts'
import { shellWords } from '../../shell-words.ts'
import type { Creation } from './creation.ts'

/** Flags that say where and as whom: the next command needs them too. */
const TARGET_FLAGS = new Set([
  '--base-url',
  '--profile',
  '--account',
  '--key-file',
  '--contract',
  '--ca-file',
])

/** Says on stderr which command goes on from here, to whoever reads the payment and does not parse it. */
export function tellNextStep(
  { id, status, receipt }: PaymentIntent,
  { flags, session, typed }: Creation,
): void {
  if (session.printer.format !== 'human' || flags.query !== undefined) return
  if (typeof id !== 'string' || FINAL_STATUSES.includes(status)) return
  const target = typed.flatMap(([flag, value]) =>
    TARGET_FLAGS.has(flag) && value !== undefined ? [flag, value] : [],
  )
  const wait = shellWords(['paysim', 'payments', 'wait', id, ...target])
  const lines = [`to see it through:  ${wait}`]
  if (receipt?.status === 'required') {
    const submit = shellWords(['paysim', 'payments', 'submit-receipt', id, '--file', 'slip.jpg', ...target])
    lines.unshift(`with the payer's slip:  ${submit}`)
  }
  process.stderr.write(`\n${lines.map(visible).join('\n')}\n`)
}
