import type { RequestDetail, SaidRecord } from '../../../../client/control-client.ts'
import { drawRecord, sections } from '../../../output/record.ts'
import type { Screen } from '../../../output/screen.ts'
import { paintHttpStatus } from '../../../output/status.ts'
import { visible, visibleLines } from '../../../output/text.ts'
import { showTime } from '../../../output/time.ts'
import type { View } from '../../../output/view.ts'

/** One request as it went over the wire. */
export const requestView: View<RequestDetail> = {
  human({ at, method, path, status, ms, request_id: id, ignored, request, response }, screen) {
    const { paint } = screen
    return sections(
      `${paint.bold(visible(`${method} ${path}`))}  ${paintHttpStatus(status, paint)}\n${drawRecord(
        [
          { label: 'at', value: showTime(at, screen).value },
          { label: 'took', value: `${ms} ms` },
          { label: 'request id', value: id },
          { label: 'ignored', value: ignored.join(', ') || undefined, paint: paint.yellow },
        ],
        screen,
      )}`,
      said('asked', request, screen),
      said(response?.whole === false ? 'answered, and broken off' : 'answered', response, screen),
    )
  },
}

function said(title: string, what: SaidRecord | null, { paint }: Screen): string {
  if (!what) return `${paint.bold(title)}\n  ${paint.dim('no longer kept')}`
  const headers = Object.entries(what.headers).map(
    ([name, value]) => `  ${paint.dim(visible(name))}: ${visible(value)}`,
  )
  const cut = what.truncated ? `\n${paint.dim(`… of ${what.size} bytes`)}` : ''
  if (headers.length === 0 && !what.body) return `${paint.bold(title)}\n  ${paint.dim('with no body')}`
  const body = what.body === null || what.body === '' ? [] : ['', `${visibleLines(pretty(what.body))}${cut}`]
  return [paint.bold(title), ...headers, ...body].join('\n')
}

/** JSON in lines; anything else as it came. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
