import type { ReceivedEvent } from '../../library/webhooks.ts'
import type { OutputFlags } from '../output/flags.ts'
import { formOf } from '../output/form.ts'
import { parsePath } from '../output/path.ts'
import { picked } from '../output/picked.ts'
import { openScreen } from '../output/screen.ts'
import { visibleLines } from '../output/visible.ts'
import { DELIVERY_COLUMNS, type Delivery } from './delivery.ts'
import { deliveryLines } from './delivery-lines.ts'

/** Shows webhooks as they come. */
export interface DeliveryPrinter {
  arrived(event: ReceivedEvent, at: Date): Promise<void>
  answered(delivery: Delivery): Promise<void>
  end(): Promise<void>
}

/** `onReaderGone`: whoever read stdout has seen enough. There is still something to tidy up then. */
export async function deliveryPrinter(
  flags: OutputFlags,
  onReaderGone: () => void,
): Promise<DeliveryPrinter> {
  const write = writerTo(process.stdout, onReaderGone)
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
    await formOf(flags.output ?? 'human', query, { columns: DELIVERY_COLUMNS, bom: flags.bom })
  ).sheet()
  const writeData = (text: string) => write(process.stdout.isTTY ? visibleLines(text) : text)
  return {
    arrived: async () => {},
    answered: delivery =>
      writeData(sheet.rows(picked(query, { body: delivery, roots: [delivery], mayLack: undefined }))),
    end: () => writeData(sheet.end()),
  }
}

function writerTo(out: NodeJS.WriteStream, onReaderGone: () => void): (text: string) => Promise<void> {
  out.on('error', () => {})
  return text =>
    new Promise((resolve, reject) => {
      if (text === '') return resolve()
      out.write(text, error => {
        const isGone = error !== null && error !== undefined && 'code' in error && error.code === 'EPIPE'
        if (isGone) onReaderGone()
        if (!error || isGone) resolve()
        else reject(error)
      })
    })
}
