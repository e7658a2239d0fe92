import type { ReceivedEvent } from '../../library/webhooks.ts'
import type { OutputFlags } from '../output/formats.ts'
import { memberAt, plain } from '../output/members.ts'
import { formatMoney } from '../output/money.ts'
import { formatOf, writerTo } from '../output/printer.ts'
import { parsePath, picked } from '../output/query.ts'
import { openScreen, type Screen } from '../output/screen.ts'
import { paintStatus, visible, visibleLines } from '../output/text.ts'
import { localTime } from '../output/time.ts'

/** The application's answer to a forwarded webhook, or why there is none. */
export interface Forwarded {
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

/** A received webhook, as `listen` prints it. `verify` can read it. */
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
  /** The status that the simulator got. */
  readonly answered: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Byte for byte, because this is what was signed. */
  readonly body: string
}

export const deliveryOf = (
  { id, type, delivery, problem: fault, headers, body }: ReceivedEvent,
  facts: Pick<Delivery, 'received_at' | 'forwarded' | 'answered'>,
): Delivery => ({
  received_at: facts.received_at,
  id,
  type,
  delivery,
  signature: fault === null ? 'valid' : 'invalid',
  fault,
  forwarded: facts.forwarded,
  answered: facts.answered,
  headers,
  body,
})

const DELIVERY_COLUMNS = [
  ...['received_at', 'id', 'type', 'delivery', 'signature', 'fault'],
  ...['forwarded.url', 'forwarded.status', 'forwarded.error', 'forwarded.ms', 'answered'],
]

/** Prints webhooks as they arrive. */
export interface DeliveryPrinter {
  arrived(event: ReceivedEvent, at: Date): Promise<void>
  answered(delivery: Delivery): Promise<void>
  end(): Promise<void>
}

/** `onReaderGone` is called when the reader of stdout is gone: the endpoint must still be removed then. */
export async function deliveryPrinter(
  flags: OutputFlags,
  onReaderGone: () => void,
): Promise<DeliveryPrinter> {
  const write = writerTo(process.stdout)
  process.stdout.on('error', onReaderGone)
  if (flags.output === 'human' && flags.query === undefined) {
    const lines = deliveryLines(await openScreen(process.stdout, flags))
    return {
      arrived: (event, at) => write(lines.arrived(event, at)),
      answered: async delivery => {
        if (delivery.forwarded) await write(lines.answered(delivery))
      },
      end: async () => {},
    }
  }
  const query = flags.query === undefined ? undefined : parsePath(flags.query)
  const sheet = (
    await formatOf(flags.output ?? 'human', query, { columns: DELIVERY_COLUMNS, bom: flags.bom })
  ).sheet()
  const writeData = (text: string) => write(process.stdout.isTTY ? visibleLines(text) : text)
  return {
    arrived: async () => {},
    answered: delivery =>
      writeData(sheet.rows(picked(query, { body: delivery, roots: [delivery], mayLack: undefined }))),
    end: () => writeData(sheet.end()),
  }
}

/** The lines for a person: one when a webhook arrives, and one when the application has answered. */
function deliveryLines({ paint, timeZone, width, widthOf }: Screen) {
  const clock = (at: Date) => paint.dim(localTime(at.getTime(), timeZone).slice(11, 19))
  return {
    arrived({ type, id, data, delivery, problem }: ReceivedEvent, at: Date): string {
      const verdict =
        problem === null ? paint.green('signed') : paint.red(`bad signature: ${visible(problem)}`)
      const wanted = [
        paint.bold(visible(type)),
        visible(plain(data.id)),
        verdict,
        delivery > 1 ? paint.yellow(`delivery ${delivery}`) : '',
        paintStatus(data.status, paint, visible(plain(data.status))),
        visible(formatMoney(memberAt(data, 'amount'), memberAt(data, 'currency'))),
        paint.dim(visible(id)),
      ].filter(part => part !== '')
      // On a narrow screen, the last parts are left out first.
      const least = delivery > 1 ? 4 : 3
      const lineOf = (parts: readonly string[]) => `${clock(at)} ${paint.dim('→')} ${parts.join('  ')}`
      while (wanted.length > least && widthOf(lineOf(wanted)) > width) wanted.pop()
      return `${lineOf(wanted)}\n`
    },
    answered({ id, forwarded, answered }: Delivery): string {
      const outcome =
        forwarded?.error == null
          ? paint[answered < 300 ? 'green' : answered < 500 ? 'yellow' : 'red'](String(answered))
          : `${paint.red(visible(forwarded.error))}, answered ${answered}`
      const line = [outcome, `in ${forwarded?.ms ?? 0} ms`, paint.dim(visible(id))].join('  ')
      return `${clock(new Date())} ${paint.dim('←')} ${line}\n`
    },
  }
}
