import { type Command, Option } from 'commander'
import { FINAL_STATUSES } from '../../../client/index.ts'
import { PAYMENT_STATUSES } from '../../../contract/statuses.ts'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { type Session, withSession } from '../../call/session.ts'
import { EXIT } from '../../faults/exit-code.ts'
import { milliseconds } from '../../flag-values.ts'
import { warnOfUnknown, words } from '../../open-words.ts'
import { paymentView } from '../../output/views/payment.ts'
import { stillClockHint } from './still-clock.ts'
import { openProgress } from './wait-progress.ts'
import { sayHowItEnded } from './wait-words.ts'

interface WaitFlags extends MerchantFlags {
  readonly until?: readonly string[]
  readonly timeout?: number
}

const WANTED = ['succeeded']

export const command = (): Command =>
  merchantCommand('payments wait', declare =>
    declare
      .description('Waits until a payment is where it is wanted, and shows it then.')
      .argument('<id>', 'of the payment, as pi_…')
      .addOption(
        new Option(
          '--until <status>',
          'what is wanted; several with commas, or repeated (default: succeeded)',
        )
          .choices(PAYMENT_STATUSES)
          .argParser(words),
      )
      .option('--timeout <duration>', 'how long to wait, as 90s (default: 10m)', milliseconds)
      .addHelpText(
        'after',
        `
It ends with 0 when the payment is as wanted, with 9 when it ended in any other way, with 8 when time ran out.
What changes meanwhile is told on stderr; the payment as it is in the end is printed on stdout.

Examples:
  paysim payments wait pi_123
  paysim payments wait pi_123 --timeout 90s --query status
  paysim payments wait pi_123 --until succeeded,failed,expired -o json`,
      )
      .action((id: string, flags: WaitFlags) => withSession(flags, session => wait(session, id, flags))),
  )

async function wait(session: Session, id: string, flags: WaitFlags): Promise<void> {
  const { client, signal, show, target } = session
  const wanted = flags.until?.length ? flags.until : WANTED
  warnOfUnknown('--until', wanted, PAYMENT_STATUSES)
  const progress = await openProgress(id, flags)
  let hinted = false
  try {
    const answer = await client.payments
      .wait(id, {
        until: wanted,
        timeoutMs: flags.timeout,
        signal,
        onUpdate(payment) {
          progress.update(payment)
          if (hinted || FINAL_STATUSES.includes(payment.status)) return
          hinted = true
          void stillClockHint(target).then(hint => hint !== undefined && progress.note(hint))
        },
      })
      .answer()
    progress.end()
    await show(answer, paymentView)
    if (wanted.includes(answer.body.status)) return
    sayHowItEnded(answer.body, wanted)
    process.exitCode = EXIT.endedOtherwise
  } finally {
    progress.end()
  }
}
