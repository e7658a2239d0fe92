import { isUtf8 } from 'node:buffer'
import { memberAt } from '../../contract/json.ts'
import type { WebhookHeaders } from '../../contract/webhook-check.ts'
import type { ReceivedEvent } from '../../library/webhook-receiver.ts'
import type { OutputFlags } from '../output/formats.ts'
import { formatMoney, plain } from '../output/members.ts'
import { formatOf, writerTo } from '../output/printer.ts'
import { parsePath, picked } from '../output/query.ts'
import { openScreen, type Screen } from '../output/screen.ts'
import { paintStatus, visible, wrapTo } from '../output/text.ts'
import { localTime } from '../output/time.ts'

/** The application's answer to a forwarded webhook, or why there is none. */
export interface Forwarded {
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

/** A received webhook, as `listen` and `receive` print it. `verify` and `replay` can read it. */
interface Delivery {
  readonly received_at: string
  readonly id: string
  readonly type: string
  /** The number of this delivery of the event, from 1. */
  readonly delivery: number
  readonly signature: 'valid' | 'invalid'
  /** Why the signature is invalid. The name is on the wire. */
  readonly fault: string | null
  readonly forwarded: Forwarded | null
  /** The file that it was saved in. */
  readonly saved: string | null
  /** The status that the gateway got. */
  readonly answered: number
  readonly headers: WebhookHeaders
  /** Byte for byte, because this is what was signed. */
  readonly body: string
  /** The bytes, if they are no UTF-8. */
  readonly body_base64?: string
}

export const deliveryOf = (
  { id, type, delivery, problem: fault, headers }: ReceivedEvent,
  facts: Pick<Delivery, 'received_at' | 'forwarded' | 'saved' | 'answered'> & { readonly bytes: Buffer },
): Delivery => ({
  received_at: facts.received_at,
  id,
  type,
  delivery,
  signature: fault === null ? 'valid' : 'invalid',
  fault,
  forwarded: facts.forwarded,
  saved: facts.saved,
  answered: facts.answered,
  headers,
  ...bodyMembers(facts.bytes),
})

/** A body as a member of JSON, from which its bytes can be made again. */
export const bodyMembers = (bytes: Buffer): Pick<Delivery, 'body' | 'body_base64'> => ({
  body: bytes.toString('utf8'),
  ...(isUtf8(bytes) ? {} : { body_base64: bytes.toString('base64') }),
})

export const warn = (message: string) => void process.stderr.write(`paysim: ${message}\n`)

const DELIVERY_COLUMNS = [
  ...['received_at', 'id', 'type', 'delivery', 'signature', 'fault'],
  ...['forwarded.url', 'forwarded.status', 'forwarded.error', 'forwarded.ms', 'saved', 'answered'],
]

/** Prints webhooks as they arrive. */
export interface DeliveryPrinter {
  arrived(event: ReceivedEvent, at: Date): Promise<void>
  answered(delivery: Delivery): Promise<void>
  end(): Promise<void>
}

/** `onReaderGone` is called when the reader of stdout is gone: what was opened elsewhere must still be removed then. */
export async function deliveryPrinter(
  flags: OutputFlags,
  onReaderGone: () => void,
): Promise<DeliveryPrinter> {
  process.stdout.on('error', onReaderGone)
  const rows = await rowPrinter<Delivery>(flags, DELIVERY_COLUMNS)
  if (rows) return { arrived: async () => {}, answered: rows.row, end: rows.end }
  const write = writerTo(process.stdout)
  const lines = deliveryLines(await openScreen(process.stdout, flags))
  return {
    arrived: (event, at) => write(lines.arrived(event, at)),
    answered: async delivery => {
      const isMore = delivery.forwarded !== null || delivery.saved !== null || delivery.answered >= 300
      if (isMore) await write(lines.answered(delivery))
    },
    end: async () => {},
  }
}

/** Prints rows as they come, in the format of the flags; undefined if that is lines for people. */
export async function rowPrinter<R>({ output = 'human', query: path, bom }: OutputFlags, columns: string[]) {
  if (output === 'human' && path === undefined) return undefined
  const query = path === undefined ? undefined : parsePath(path)
  const sheet = (await formatOf(output, query, { columns, bom })).sheet()
  const write = writerTo(process.stdout)
  return {
    row: (row: R) => write(sheet.rows(picked(query, { body: row, roots: [row], mayLack: undefined }))),
    end: () => write(sheet.end()),
  }
}

/** As much of a text as a line may show: strangers choose how long it is. */
const LONGEST_SHOWN = 60
export const brief = (text: string) =>
  visible(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)

/** The lines for a person: one when a webhook arrives, and one when the application has answered. */
function deliveryLines({ paint, timeZone, width, widthOf }: Screen) {
  const clock = (at: Date) => paint.dim(localTime(at.getTime(), timeZone).slice(11, 19))
  return {
    arrived({ type, id, data, delivery, problem }: ReceivedEvent, at: Date): string {
      const verdict = problem === null ? paint.green('signed') : paint.red('not verified')
      const again = delivery > 1 ? paint.yellow(`delivery ${delivery}`) : ''
      const wanted = [
        type === '' ? paint.dim('(no type)') : paint.bold(brief(type)),
        brief(plain(data.id)),
        verdict,
        again,
        paintStatus(data.status, paint, brief(plain(data.status))),
        brief(formatMoney(memberAt(data, 'amount'), memberAt(data, 'currency'))),
        paint.dim(brief(id)),
      ].filter(part => part !== '')
      // On a narrow screen, the last parts are left out first.
      const least = wanted.lastIndexOf(again || verdict) + 1
      const lineOf = (parts: readonly string[]) => `${clock(at)} ${paint.dim('→')} ${parts.join('  ')}`
      while (wanted.length > least && widthOf(lineOf(wanted)) > width) wanted.pop()
      const why = problem === null ? [] : wrapTo(visible(problem), width - INDENT.length, widthOf)
      return [lineOf(wanted), ...why.map(line => INDENT + paint.red(line)), ''].join('\n')
    },
    answered({ id, forwarded, saved, answered }: Delivery): string {
      const outcome =
        forwarded?.error == null
          ? paint[answered < 300 ? 'green' : answered < 500 ? 'yellow' : 'red'](String(answered))
          : `${paint.red(visible(forwarded.error))}, answered ${answered}`
      const parts = [
        outcome,
        forwarded ? `in ${forwarded.ms} ms` : '',
        saved === null ? '' : `saved in ${visible(saved)}`,
        paint.dim(brief(id)),
      ]
      const line = parts.filter(part => part !== '').join('  ')
      return `${clock(new Date())} ${paint.dim('←')} ${line}\n`
    },
  }
}

/** Under the time. */
const INDENT = ' '.repeat(11)
