import type { NextAction, PaymentIntent } from '../../../client/index.ts'
import { memberAt, plain } from '../../output/members.ts'
import { paintStatus } from '../../output/status.ts'
import { visible } from '../../output/text.ts'
import { CANCELLED } from '../../statuses.ts'

/** What somebody sees who waits. */
interface Progress {
  /** The payment is another than it was. */
  update(payment: PaymentIntent): void
  note(text: string): void
  end(): void
}

/** A spinner where stderr is a terminal; otherwise nothing but a line for each change. */
export async function openProgress(id: string, flags: { readonly color?: boolean }): Promise<Progress> {
  // A terminal of no columns would never see the end of the first line.
  return process.stderr.isTTY && process.stderr.columns > 0 ? spinner(id, flags) : lines(id)
}

const write = (line: string) => void process.stderr.write(`${line}\n`)

function lines(id: string): Progress {
  const newsOf = newsTeller()
  return {
    update(payment) {
      const news = newsOf(payment)
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
  const newsOf = newsTeller()
  const startedAt = performance.now()
  let status = ''
  const text = () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    return [id, paintStatus(status, paint), paint.dim(`${seconds}s`)].filter(part => part !== '').join(' ')
  }
  // Lines that are written while it turns, it puts above itself.
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
      const news = newsOf(payment)
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

/** Puts each news of a payment on one line: `pending, receipt required: the payer transfers to …`. */
function newsTeller(): (payment: PaymentIntent) => string | undefined {
  let toldAction = ''
  let lastLine = ''
  return payment => {
    const action = payment.next_action ? whatThePayerDoes(payment.next_action) : ''
    // What the payer is to do is said once, however the rest goes on.
    const news = visible(`${standOf(payment)}${action === '' || action === toldAction ? '' : `: ${action}`}`)
    toldAction = action
    if (news === lastLine) return undefined
    lastLine = news
    return news
  }
}

function standOf(payment: PaymentIntent): string {
  const receipt = plain(memberAt(payment, 'receipt', 'status'))
  const rejection = plain(memberAt(payment, 'receipt', 'failure_message'))
  return [
    `${payment.status}${reasonOf(payment)}`,
    ...(receipt === '' ? [] : [`receipt ${receipt}${rejection === '' ? '' : ` (${rejection})`}`]),
  ].join(', ')
}

function whatThePayerDoes(action: NextAction): string {
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

/** How it ended, where that is another way than wanted, or another word than was asked for. */
export function sayHowItEnded(payment: PaymentIntent, wanted: readonly string[], reached: boolean): void {
  const end = visible(`${payment.id} ended as ${payment.status}${reasonOf(payment)}`)
  const isExpired = payment.status === 'expired' && wanted.includes(CANCELLED)
  if (!reached) {
    const hint = isExpired
      ? '. Some servers end a cancelled payment so: where yours does, --contract says it (payment.after_cancel: expired)'
      : ''
    process.stderr.write(`paysim: ${end}, and not as ${wanted.join(' or ')}${hint}\n`)
  } else if (!wanted.includes(payment.status)) {
    const how = isExpired
      ? ', as a cancelled payment does by the contract of this server'
      : ': it was cancelled'
    process.stderr.write(`paysim: ${end}${how}\n`)
  }
}
