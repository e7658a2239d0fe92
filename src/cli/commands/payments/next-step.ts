import type { PaymentIntent } from '../../../client/index.ts'
import { shellWords } from '../../../contract/shell-words.ts'
import { FINAL_STATUSES } from '../../../contract/statuses.ts'
import type { MerchantFlags, Session } from '../../call/session.ts'
import { asCalled } from '../../help-text.ts'
import { visible } from '../../output/text.ts'

interface CallContext {
  readonly flags: MerchantFlags
  readonly session: Session
}

/** Suggests the next command on stderr, if a person reads the payment. */
export function suggestNextStep(payment: PaymentIntent, context: CallContext): void {
  if (!isReadByPerson(payment, context)) return
  const target = targetOf(context.flags)
  const lines = [waitLine(payment, target)]
  if (payment.receipt?.status === 'required') {
    const submit = ['paysim', 'payments', 'submit-receipt', payment.id, '--file', 'slip.jpg', ...target]
    lines.unshift(`to submit the payer's slip:  ${shellWords(submit)}`)
  }
  print(lines)
}

/** Suggests how to wait for the requested end. */
export function suggestWait(
  payment: PaymentIntent,
  { until, ...context }: CallContext & { readonly until: string },
): void {
  if (isReadByPerson(payment, context))
    print([waitLine(payment, ['--until', until, ...targetOf(context.flags)])])
}

const isReadByPerson = ({ status }: PaymentIntent, { flags, session }: CallContext) =>
  session.printer.format === 'human' && flags.query === undefined && !FINAL_STATUSES.includes(status)

const waitLine = ({ id }: PaymentIntent, more: readonly string[]) =>
  `to wait for the end:  ${shellWords(['paysim', 'payments', 'wait', id, ...more])}`

const print = (lines: readonly string[]) =>
  process.stderr.write(asCalled(`\n${lines.map(visible).join('\n')}\n`))

/** The target options, which the next command needs too. */
function targetOf({ baseUrl, profile, account, keyFile, contract, caFile }: MerchantFlags): string[] {
  const flags = {
    '--base-url': baseUrl,
    '--profile': profile,
    '--account': account,
    '--key-file': keyFile,
    '--contract': contract,
    '--ca-file': caFile,
  }
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]))
}
