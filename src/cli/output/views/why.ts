import type { AnswerTo } from '../../../contract/control/call.ts'
import { wrapMessage } from '../../help-text.ts'
import { drawRecord, sections } from '../record.ts'
import type { Screen } from '../screen.ts'
import { visible } from '../text.ts'
import { showTime } from '../time.ts'

type Why = AnswerTo<'GET /accounts/:account/why/:id'>

/** Why a record is as it is, with the commands to go on. */
export const whyText = ({ sentence, commands }: Why, screen: Screen): string =>
  wrapMessage(
    sections(
      `${screen.paint.bold('why')}\n  ${visible(sentence)}`,
      listed('commands', commands.map(visible), screen),
    ),
    process.stdout,
  )

/** The same with its causes, and what comes next. */
export function wholeWhy(why: Why, screen: Screen): string {
  const { id, kind, status, sentence, because, next, commands } = why
  const { paint } = screen
  const text = sections(
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
  return wrapMessage(text, process.stdout)
}

function causeLine({ what, id, at }: Why['because'][number], screen: Screen): string {
  const more = [id, at === undefined ? undefined : showTime(at, screen).value].filter(Boolean).join(', ')
  return visible(more === '' ? what : `${what} (${more})`)
}

const listed = (title: string, lines: readonly string[], { paint }: Screen) =>
  lines.length === 0 ? '' : [paint.bold(title), ...lines.map(line => `  ${line}`)].join('\n')
