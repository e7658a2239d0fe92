import type { AnswerTo } from '../../../contract/control/call.ts'
import { commandOf } from '../../control/row.ts'
import { drawRecord, sections } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import { visible } from '../../output/text.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'

type Why = AnswerTo<'GET /accounts/:account/why/:id'>

/** Why a record is as it is, and the commands to go on with. */
const whyView: View<Why> = {
  human({ id, kind, status, sentence, because, next, commands }, screen) {
    const { paint } = screen
    return sections(
      `${paint.bold(visible(`${kind} ${id}`))}  ${visible(status)}\n${visible(sentence)}`,
      listed(
        'because',
        because.map(cause => causeLine(cause, screen)),
        screen,
      ),
      next === null
        ? ''
        : drawRecord(
            [
              { label: 'next', value: next.what },
              { label: 'by', value: next.by },
              ...(next.at === null ? [] : [{ label: 'at', ...showTime(next.at, screen) }]),
            ],
            screen,
          ),
      listed('commands', commands.map(visible), screen),
    )
  },
}

export const why = commandOf('sim why', 'GET /accounts/:account/why/:id', {
  description:
    'Say why a payment, payout, delivery or request is as it is, what comes next, and which commands would bring it.',
  arguments: {
    '<id>': { about: 'id of the record, or the Request-Id of a recent answer', to: 'params.id' },
  },
  examples: ['paysim sim why pi_123', 'paysim sim why req_123 --query sentence'],
  show: { view: whyView, inAccountTime: true },
})

function causeLine({ what, id, at }: Why['because'][number], screen: Screen): string {
  const more = [id, at === undefined ? undefined : showTime(at, screen).value].filter(Boolean).join(', ')
  return visible(more === '' ? what : `${what} (${more})`)
}

const listed = (title: string, lines: readonly string[], { paint }: Screen) =>
  lines.length === 0 ? '' : [paint.bold(title), ...lines.map(line => `  ${line}`)].join('\n')
