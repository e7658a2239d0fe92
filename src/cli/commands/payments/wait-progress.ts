import type { NextAction, PaymentIntent } from '../../../client/index.ts'
import { memberAt, plain } from '../../output/members.ts'
import { paintStatus } from '../../output/status.ts'
import { visible } from '../../output/text.ts'
import { CANCELLED } from '../../statuses.ts'

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
    return [id, paintStatus(status, paint), paint.dim(`${seconds}s`)].filter(part => part !== '').join(' ')
  }
  // The spinner moves down when another line is written.
  const turning = ora({
    stream: process.stderr,
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
  return [
    `${payment.status}${reasonOf(payment)}`,
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
    const how = isExpired
      ? ', which is how this server ends a cancelled payment, by its contract'
      : ' because it was cancelled'
    process.stderr.write(`paysim: ${end}${how}\n`)
  }
}
