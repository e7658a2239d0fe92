import { type Command, Option } from 'commander'
import type { MerchantRecord } from '../../../client/control-client.ts'
import { FINAL_STATUSES, type PaymentIntent, WaitTimeoutError } from '../../../client/index.ts'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { type Session, withSession } from '../../call/session.ts'
import { findControl } from '../../control/find-control.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { milliseconds, words } from '../../flag-values.ts'
import { paymentView } from '../../output/views/payment.ts'
import { CANCELLED, PAYMENT_ENDS, refuseUnknownStatus } from '../../statuses.ts'
import type { Target } from '../../target/find-target.ts'
import { openProgress, sayHowItEnded } from './wait-progress.ts'

interface WaitFlags extends MerchantFlags {
  readonly until?: readonly string[]
  readonly anyStatus?: true
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
          .choices(PAYMENT_ENDS.known)
          .argParser(words),
      )
      .option('--any-status', 'let --until name one that only your server has')
      .option('--timeout <duration>', 'how long to wait, as 90s (default: 10m)', milliseconds)
      .addHelpText(
        'after',
        `
It ends with 0 when the payment is as wanted, with 9 when it ended in any other way, with 8 when time ran out.
No payment has the status cancelled: --until cancelled waits until it ended with failure_code payment_cancelled, or as
the contract of the server (--contract) says that a cancelled payment ends.
What changes meanwhile is told on stderr; the payment as it is in the end is printed on stdout.

Examples:
  paysim payments wait pi_123
  paysim payments wait pi_123 --timeout 90s --query status
  paysim payments wait pi_123 --until cancelled
  paysim payments wait pi_123 --until succeeded,failed,expired -o json`,
      )
      .action((id: string, flags: WaitFlags) => {
        if (!flags.anyStatus) refuseUnknownStatus('--until', flags.until ?? [], PAYMENT_ENDS)
        return withSession(flags, session => wait(session, id, flags))
      }),
  )

async function wait(session: Session, id: string, flags: WaitFlags): Promise<void> {
  const { client, signal, show, target } = session
  const wanted = flags.until?.length ? flags.until : WANTED
  const progress = await openProgress(id, flags)
  let hint: Promise<string | undefined> | undefined
  try {
    const answer = await client.payments
      .wait(id, {
        until: wanted,
        timeoutMs: flags.timeout,
        signal,
        onUpdate(payment) {
          progress.update(payment)
          if (hint || FINAL_STATUSES.includes(payment.status)) return
          hint = stillClockHint(target)
          void hint.then(text => text !== undefined && progress.note(text))
        },
      })
      .answer()
    progress.end()
    await show(answer, paymentView)
    const reached = isReached(answer.body, wanted, await endOfCancelled(session, flags))
    sayHowItEnded(answer.body, wanted, reached)
    if (!reached) process.exitCode = EXIT.endedOtherwise
  } catch (error) {
    const why = error instanceof WaitTimeoutError ? await hint : undefined
    if (!(error instanceof WaitTimeoutError) || why === undefined) throw error
    throw new WaitTimeoutError(`${error.message}. ${why}`, error.answer)
  } finally {
    progress.end()
  }
}

/** Which status this server gives a payment whose cancellation was confirmed, if its contract is known. */
async function endOfCancelled({ target }: Session, flags: WaitFlags): Promise<string | undefined> {
  const contract = flags.contract ?? target.profile?.contract
  if (contract === undefined || !flags.until?.includes(CANCELLED)) return undefined
  const { readContract } = await import('../../read-file.ts')
  return (await readContract(contract))['payment.after_cancel']
}

function isReached(
  { status, failure_code }: PaymentIntent,
  wanted: readonly string[],
  cancelledIs: string | undefined,
): boolean {
  if (wanted.includes(status)) return true
  if (!wanted.includes(CANCELLED)) return false
  // With `expired` no code comes, and nothing tells it from one whose time ran out: the contract's word is taken.
  return failure_code === 'payment_cancelled' || (cancelledIs === 'expired' && status === cancelledIs)
}

const DEFAULT_ACCOUNT = 'default.test'

/** Where the target is a simulator whose clock stands still, waiting alone brings nothing: what to do about it. */
async function stillClockHint({ baseUrl, keys }: Target): Promise<string | undefined> {
  try {
    const simulator = await findControl({})
    if (simulator.url === undefined || new URL(simulator.url).origin !== new URL(baseUrl).origin)
      return undefined
    const { ControlClient } = await import('../../../client/control-client.ts')
    const control = new ControlClient(simulator)
    try {
      const account = accountOf(keys.publicKey, await control.merchants.list())
      if (account === undefined || (await control.account(account).clock.get()).mode !== 'virtual')
        return undefined
      const which = account === DEFAULT_ACCOUNT ? '' : ` --account ${account}`
      return `The clock of ${account} stands still: \`paysim sim clock advance 5s${which}\` moves it.`
    } finally {
      await control.close()
    }
  } catch {
    // A hint that cannot be given is no fault of the call.
    return undefined
  }
}

function accountOf(publicKey: string, merchants: readonly MerchantRecord[]): string | undefined {
  return merchants
    .flatMap(({ accounts }) => accounts)
    .find(({ public_key, more_keys = [] }) =>
      [public_key, ...more_keys.map(pair => pair.public_key)].includes(publicKey),
    )?.id
}
