import { FINAL_STATUSES, type PaymentIntent } from '../../../client/index.ts'
import type { MerchantFlags } from '../../call/merchant-command.ts'
import type { Session } from '../../call/session.ts'
import { visible } from '../../output/text.ts'
import { shellWords } from '../../shell-words.ts'

interface Begun {
  readonly flags: MerchantFlags
  readonly session: Session
}

/** Says on stderr which command goes on from here, to whoever reads the payment and does not parse it. */
export function tellNextStep(payment: PaymentIntent, begun: Begun): void {
  if (!isReadByEyes(payment, begun)) return
  const target = targetOf(begun.flags)
  const lines = [waitLine(payment, target)]
  if (payment.receipt?.status === 'required') {
    const submit = ['paysim', 'payments', 'submit-receipt', payment.id, '--file', 'slip.jpg', ...target]
    lines.unshift(`with the payer's slip:  ${shellWords(submit)}`)
  }
  tell(lines)
}

/** Says how to see a payment come to the end that was asked for. */
export function tellHowToWait(
  payment: PaymentIntent,
  { until, ...begun }: Begun & { readonly until: string },
): void {
  if (isReadByEyes(payment, begun)) tell([waitLine(payment, ['--until', until, ...targetOf(begun.flags)])])
}

const isReadByEyes = ({ status }: PaymentIntent, { flags, session }: Begun) =>
  session.printer.format === 'human' && flags.query === undefined && !FINAL_STATUSES.includes(status)

const waitLine = ({ id }: PaymentIntent, more: readonly string[]) =>
  `to see it through:  ${shellWords(['paysim', 'payments', 'wait', id, ...more])}`

const tell = (lines: readonly string[]) => process.stderr.write(`\n${lines.map(visible).join('\n')}\n`)

/** Flags that say where and as whom: the next command needs them too. */
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
