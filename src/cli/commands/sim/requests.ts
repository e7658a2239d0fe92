import type { HttpMessage, LoggedRequest, RequestDetail } from '../../../client/control-client.ts'
import { laidOut } from '../../../contract/json.ts'
import { commandOf, nounOf, row } from '../../control/row.ts'
import { idColumn, memberColumn, timeColumn } from '../../output/columns.ts'
import { drawRecord, sections } from '../../output/record.ts'
import type { Screen } from '../../output/screen.ts'
import { paintHttpStatus, visible, visibleLines } from '../../output/text.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'

const requestView: View<RequestDetail> = {
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
      messageText('request', request, screen),
      messageText(response?.whole === false ? 'answer, broken off' : 'answer', response, screen),
    )
  },
}

/** What merchants asked of the gateway. */
export const requests = nounOf('sim requests', {
  list: row('GET /accounts/:account/requests', {
    summary: 'list the last requests',
    description:
      'List the last requests of an account, newest first, with what was ignored in bodies and queries: 500 that were carried out, and 500 that were refused.',
    examples: ['paysim sim requests', `paysim sim requests list -o jsonl | grep '"status":4'`],
    show: {
      table: {
        empty: 'No requests yet.',
        columns: [
          timeColumn('at', 'at', { give: 4 }),
          memberColumn('method', 'method'),
          memberColumn('path', 'path', { give: 3, least: 30 }),
          memberColumn('status', 'status', {
            paint: (shown, row, { paint }) => paintHttpStatus((row as LoggedRequest).status, paint, shown),
          }),
          { header: 'ms', value: row => milliseconds(row as LoggedRequest), align: 'right' },
          memberColumn('request', 'request_id', { give: 5, whole: true }),
          {
            header: 'ignored',
            value: row => (row as LoggedRequest).ignored.join(', '),
            give: 1,
            least: 12,
            paint: (shown, _, { paint }) => paint.yellow(shown),
          },
        ],
        csv: ['at', 'method', 'path', 'status', 'ms', 'request_id', 'ignored'],
      },
    },
  }),
  show: row('GET /accounts/:account/requests/:id', {
    summary: 'show a request with headers and bodies',
    description: 'Show one of the last requests with its headers and bodies, without secrets.',
    arguments: { '<id>': { about: 'Request-Id of the answer, such as req_123', to: 'params.id' } },
    examples: ['paysim sim requests show req_123', 'paysim sim requests show req_123 --query response.body'],
    show: { view: requestView },
  }),
})

/** What the gateway asked of the provider. */
export const providerCalls = commandOf('sim provider-calls', 'GET /accounts/:account/provider-calls', {
  description: 'List the calls that the gateway made to the provider: start, cancel, submit_receipt.',
  examples: ['paysim sim provider-calls', 'paysim sim provider-calls --query "data[].call"'],
  show: {
    table: {
      empty: 'No provider calls yet.',
      columns: [
        timeColumn('at', 'at'),
        memberColumn('call', 'call', { paint: (shown, _, { paint }) => paint.cyan(shown) }),
        idColumn('payment', 'payment'),
        memberColumn('route', 'route', { give: 1 }),
        memberColumn('image', 'digest', { give: 2, least: 12 }),
      ],
    },
  },
})

const milliseconds = ({ ms }: LoggedRequest) => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)))

function messageText(title: string, message: HttpMessage | null, { paint }: Screen): string {
  if (!message) return `${paint.bold(title)}\n  ${paint.dim('no longer kept')}`
  const headers = Object.entries(message.headers).map(
    ([name, value]) => `  ${paint.dim(visible(name))}: ${visible(value)}`,
  )
  const { body: text, truncated, size } = message
  if (headers.length === 0 && !text) return `${paint.bold(title)}\n  ${paint.dim('no body')}`
  const cut = truncated ? `\n${paint.dim(`… of ${size} bytes`)}` : ''
  const body = text === null || text === '' ? [] : ['', `${visibleLines(laidOut(text))}${cut}`]
  return [paint.bold(title), ...headers, ...body].join('\n')
}
