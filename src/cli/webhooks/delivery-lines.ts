import type { ReceivedEvent } from '../../library/webhooks.ts'
import { formatMoney } from '../output/money.ts'
import { memberAt, plain } from '../output/plain.ts'
import type { Screen } from '../output/screen.ts'
import { paintStatus } from '../output/status.ts'
import { localTime } from '../output/time.ts'
import { visible } from '../output/visible.ts'
import type { Delivery } from './delivery.ts'

/** What a person sees of a webhook: a line when it comes, and a line when the application has answered. */
export function deliveryLines({ paint, timeZone, width, widthOf }: Screen) {
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
      // What comes last goes first where the screen is narrow.
      const least = delivery > 1 ? 4 : 3
      const lineOf = (parts: readonly string[]) => `${clock(at)} ${paint.dim('→')} ${parts.join('  ')}`
      while (wanted.length > least && widthOf(lineOf(wanted)) > width) wanted.pop()
      return `${lineOf(wanted)}\n`
    },
    answered({ id, forwarded, answered }: Delivery): string {
      const said =
        forwarded?.error == null
          ? paint[answered < 300 ? 'green' : answered < 500 ? 'yellow' : 'red'](String(answered))
          : `${paint.red(visible(forwarded.error))}, answered ${answered}`
      const line = [said, `in ${forwarded?.ms ?? 0} ms`, paint.dim(visible(id))].join('  ')
      return `${clock(new Date())} ${paint.dim('←')} ${line}\n`
    },
  }
}
