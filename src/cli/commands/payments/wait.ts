import type { Command } from 'commander'
import { type NextAction, type PaymentIntent, WaitTimeoutError } from '../../../client/index.ts'
import { memberAt } from '../../../contract/json.ts'
import { FINAL_STATUSES } from '../../../contract/statuses.ts'
import { type MerchantFlags, merchantCommand, type Session, withSession } from '../../call/session.ts'
import { EXIT } from '../../errors/exit-code.ts'
import { addHint, commandLines } from '../../errors/report-error.ts'
import { commaSeparated, milliseconds } from '../../flag-values.ts'
import { cleaned, drawnOn } from '../../output/door.ts'
import { plain } from '../../output/members.ts'
import { paintStatus, visible } from '../../output/text.ts'
import { paymentView } from '../../output/views/payment.ts'
import { CANCELLED, PAYMENT_ENDS, refuseUnknownStatus } from '../../statuses.ts'
import { optionFor } from '../../values.ts'
import { askOwnAccount, whyHere } from '../../where/own-account.ts'
import type { Where } from '../../where/where.ts'

interface WaitFlags extends MerchantFlags {
  readonly until?: readonly string[]
  readonly anyStatus?: true
  readonly timeout?: number
}

const DEFAULT_UNTIL = ['succeeded']

export const command = (): Command =>
  merchantCommand('payments wait', declare =>
    declare
      .description('Wait until a payment reaches a status, and show it.')
      .argument('<id>', 'id of the payment, such as pi_123')
      .addOption(
        optionFor(
          '--until <status>',
          'status to wait for; separate several with commas, or repeat the option (default: succeeded)',
          { list: true },
        )
          .choices(PAYMENT_ENDS.known)
          .argParser(commaSeparated),
      )
      .option('--any-status', 'also accept a status that paysim does not know, such as one of a newer server')
      .option('--timeout <duration>', 'how long to wait, such as 90s (default: 10m)', milliseconds)
      .addHelpText(
        'after',
        `
The exit code is 0 if the payment reached the status, 9 if it ended in another status, and 8 if the time ran out.
There is no status "cancelled": --until cancelled waits until the payment ends with the failure_code payment_cancelled, or
in the status that the contract of the server (--contract) gives a cancelled payment.
Changes are printed to stderr, and the final payment to stdout.

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
  const { client, signal, show, where } = session
  const until = flags.until?.length ? flags.until : DEFAULT_UNTIL
  const progress = await openProgress(id, flags)
  let hint: Promise<string | undefined> | undefined
  try {
    const answer = await client.payments
      .wait(id, {
        until,
        timeoutMs: flags.timeout,
        signal,
        onUpdate(payment) {
          progress.update(payment)
          if (hint || FINAL_STATUSES.includes(payment.status)) return
          hint = stillClockHint(where)
          void hint.then(text => text !== undefined && progress.note(text))
        },
      })
      .answer()
    progress.end()
    const reached = isReached(answer.body, until, await endOfCancelled(session, flags))
    if (!reached) process.exitCode = EXIT.endedOtherwise
    await show(answer, paymentView)
    reportEnd(answer.body, until, reached)
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error
    const [why, clock] = await Promise.all([whyHere(where, id), hint])
    const more = [why?.sentence, clock].filter(text => text !== undefined)
    if (more.length === 0) throw error
    const late = new WaitTimeoutError([`${error.message}.`, ...more].join(' '), error.answer)
    if (why?.commands.length) addHint(late, commandLines(why.commands))
    throw late
  } finally {
    progress.end()
  }
}

/** The status that this server gives a cancelled payment, if its contract is known. */
async function endOfCancelled({ where }: Session, { until }: WaitFlags): Promise<string | undefined> {
  return until?.includes(CANCELLED) ? (await where.contract())?.['payment.after_cancel'] : undefined
}

function isReached(
  { status, failure_code }: PaymentIntent,
  until: readonly string[],
  cancelledStatus: string | undefined,
): boolean {
  if (until.includes(status)) return true
  if (!until.includes(CANCELLED)) return false
  // An expired payment has no failure code. Only the contract says that it was cancelled, and not too old.
  return failure_code === CANCELLED_CODE || (cancelledStatus === 'expired' && status === cancelledStatus)
}

/** The failure of a payment that was cancelled and is shown as failed. */
const CANCELLED_CODE = 'payment_cancelled'

const DEFAULT_ACCOUNT = 'default.test'

/** On a virtual clock, nothing becomes due while the command waits: say how to advance the clock. */
const stillClockHint = (where: Where): Promise<string | undefined> =>
  askOwnAccount(where, async (account, id) => {
    if ((await account.clock.get()).mode !== 'virtual') return undefined
    const which = id === DEFAULT_ACCOUNT ? '' : ` --account ${id}`
    return `The clock of ${id} is virtual: advance it with \`paysim sim clock advance 5s${which}\`.`
  })

/** What `wait` prints while it waits. */
interface Progress {
  /** The payment changed. */
  update(payment: PaymentIntent): void
  note(text: string): void
  end(): void
}

/** A spinner if stderr is a terminal, and in any case a line for each change. */
export async function openProgress(id: string, flags: { readonly color?: boolean }): Promise<Progress> {
  // With zero columns, the spinner would loop for ever.
  return process.stderr.isTTY && process.stderr.columns > 0 ? spinner(id, flags) : lines(id)
}

const write = (line: string) => void process.stderr.write(`${line}\n`)

function lines(id: string): Progress {
  const changeOf = changeLines()
  return {
    update(payment) {
      const news = changeOf(payment)
      if (news !== undefined) write(`${id}: ${news}`)
    },
    note: write,
    end() {},
  }
}

async function spinner(id: string, flags: { readonly color?: boolean }): Promise<Progress> {
  const [{ default: ora }, { openScreen }] = await Promise.all([
    import('ora'),
    import('../../output/screen.ts'),
  ])
  const { paint } = await openScreen(process.stderr, flags)
  const changeOf = changeLines()
  const startedAt = performance.now()
  let status = ''
  const text = () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    const parts = [visible(id), paintStatus(status, paint), paint.dim(`${seconds}s`)]
    return cleaned(parts.filter(part => part !== '').join(' '))
  }
  // The spinner moves down when another line is written.
  const turning = ora({
    stream: drawnOn(process.stderr),
    text: text(),
    discardStdin: false,
    color: paint.level > 0 && 'cyan',
  }).start()
  const tick = setInterval(() => {
    turning.text = text()
  }, 1000)
  return {
    update(payment) {
      status = visible(plain(payment.status))
      const news = changeOf(payment)
      if (news !== undefined)
        write(news.startsWith(status) ? paintStatus(status, paint) + news.slice(status.length) : news)
      turning.text = text()
    },
    note: line => write(paint.dim(line)),
    end() {
      clearInterval(tick)
      turning.stop()
    },
  }
}

/** Describes each change in one line, such as `pending, receipt required: the payer transfers to …`. */
function changeLines(): (payment: PaymentIntent) => string | undefined {
  let shownAction = ''
  let lastLine = ''
  return payment => {
    const action = payment.next_action ? describeAction(payment.next_action) : ''
    // The next action is printed only once.
    const news = visible(`${stateOf(payment)}${action === '' || action === shownAction ? '' : `: ${action}`}`)
    shownAction = action
    if (news === lastLine) return undefined
    lastLine = news
    return news
  }
}

function stateOf(payment: PaymentIntent): string {
  const receipt = plain(memberAt(payment, 'receipt', 'status'))
  const rejection = plain(memberAt(payment, 'receipt', 'failure_message'))
  const reason = payment.failure_code === CANCELLED_CODE ? ' (cancelled)' : reasonOf(payment)
  return [
    `${payment.status}${reason}`,
    ...(receipt === '' ? [] : [`receipt ${receipt}${rejection === '' ? '' : ` (${rejection})`}`]),
  ].join(', ')
}

function describeAction(action: NextAction): string {
  switch (action.type) {
    case 'redirect_to_url':
      return `the payer opens ${action.url}`
    case 'display_qr_code':
      return 'the payer scans the QR code'
    case 'display_bank_transfer_instructions': {
      const { bank, account, reference } = action
      const to = [bank?.label, account?.number].filter(Boolean).join(' ')
      return `the payer transfers${to === '' ? '' : ` to ${to}`}${reference ? `, reference ${reference}` : ''}`
    }
    default:
      return action.type
  }
}

function reasonOf({ failure_code, failure_message }: PaymentIntent): string {
  const reason = [failure_code, failure_message].filter(Boolean).join(': ')
  return reason === '' ? '' : ` (${reason})`
}

/** Reports an end that is not as requested, or that has another name than requested. */
export function reportEnd(payment: PaymentIntent, wanted: readonly string[], reached: boolean): void {
  const end = visible(`${payment.id} ended as ${payment.status}${reasonOf(payment)}`)
  const isExpired = payment.status === 'expired' && wanted.includes(CANCELLED)
  if (!reached) {
    const hint = isExpired
      ? '. Some servers expire a cancelled payment. If yours does, give a contract file with payment.after_cancel: expired'
      : ''
    process.stderr.write(`paysim: ${end}, not as ${wanted.join(' or ')}${hint}\n`)
  } else if (!wanted.includes(payment.status)) {
    const how = isExpired ? ' by the contract of this server' : ''
    const text = `${payment.id} was cancelled, as wanted; its status is ${payment.status}${how}.`
    process.stderr.write(`${visible(text)}\n`)
  }
}
