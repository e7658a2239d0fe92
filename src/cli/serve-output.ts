import { withoutSecrets } from '../contract/redact.ts'
import type { Entry } from '../domain/events.ts'
import type { AnsweredRequest } from '../domain/why/request.ts'
import type { AccountRuntime } from '../engine/account/open-runtime.ts'
import { entryText } from '../engine/journal/journal-format.ts'
import type { RequestRecord, Simulator } from '../simulator.ts'
import { jsonLine } from './output/formats.ts'

/** What `serve` prints: JSON lines for a program, or lines for a person. */
export interface ServeOutput {
  ready(simulator: Simulator): void
  warn(message: string): void
  /** Writes what was held back. */
  flush(): void
}

export function jsonOutput(): ServeOutput {
  const { print, flush } = lineWriter()
  return {
    ready(simulator) {
      process.stdout.write(jsonLine(JSON.stringify({ event: 'ready', ...simulator.facts() })))
      follow(simulator, {
        request: record => print(requestLine(record)),
        entry: ({ account }, entry) =>
          print(entryText(entry).slice(1), `{"event":"entry","account":"${account.id}",`),
      })
    },
    flush,
    warn: message => process.stderr.write(`paysim: ${message}\n`),
  }
}

/** A write to a pipe blocks, whatever its size: so lines of the same moment are written together. */
function lineWriter() {
  let waiting = ''
  const flush = () => {
    process.stdout.write(waiting)
    waiting = ''
  }
  const print = (line: string, start = '') => {
    if (waiting === '') setTimeout(flush, 10)
    // Logs are stored and forwarded: only the ready line may contain secrets.
    waiting += start + jsonLine(withoutSecrets(line))
  }
  return { print, flush }
}

export async function terminalOutput(verbose: boolean): Promise<ServeOutput> {
  const [{ openScreen }, { entryLines, fitLines, requestLines }] = await Promise.all([
    import('./output/screen.ts'),
    import('./serve-log.ts'),
  ])
  const screen = await openScreen(process.stdout, {}, { ascii: true })
  const { paint } = screen
  const print = (lines: string) => {
    const { columns } = process.stdout
    process.stdout.write(columns ? fitLines(lines, columns, screen) : lines)
  }
  return {
    ready(simulator) {
      const { url, control_url, control_token, data_dir, store, accounts } = simulator.facts()
      const fact = (name: string, value: string) => `  ${paint.dim(name.padEnd(10))} ${value}`
      const lines = [
        `${paint.bold('paysim')} is ready at ${paint.cyan(url)}`,
        '',
        ...accounts.map(({ id, public_key, secret_key }) => fact(id, `${public_key}:${secret_key}`)),
        fact('dashboard', simulator.newSignInLink()),
        fact('control', `${control_url}  ${paint.dim(control_token)}`),
        fact('data', data_dir ?? (store === 'memory:' ? 'in memory, lost when the server stops' : store)),
        '',
        paint.dim('Press Ctrl-C to stop.'),
      ]
      process.stdout.write(`${lines.join('\n')}\n\n`)
      follow(simulator, {
        request: (record, answered) => print(requestLines(record, answered, { screen, verbose })),
        entry: (runtime, entry) => print(entryLines({ runtime, entry }, { screen, verbose })),
      })
    },
    flush: () => {},
    warn: message => process.stderr.write(`${paint.yellow('paysim:')} ${message}\n`),
  }
}

interface Follower {
  request(record: RequestRecord, answered: () => AnsweredRequest): void
  entry(runtime: AccountRuntime, entry: Entry): void
}

function follow({ requests, gateway }: Simulator, follower: Follower): void {
  requests.onRequest(follower.request)
  gateway.onEntry(follower.entry)
}

/** The JSON is concatenated by hand, which takes a third of the time of `JSON.stringify`, for every request. */
export function requestLine(record: RequestRecord): string {
  const { at, account, method, path, status, ms, request_id, ignored } = record
  if (ignored.length > 0 || !NEEDS_NO_ESCAPE.test(path))
    return JSON.stringify({ event: 'request', ...record })
  const who = account === null ? 'null' : `"${account}"`
  return `{"event":"request","at":"${at}","account":${who},"method":"${method}","path":"${path}","status":${status},"ms":${ms},"request_id":"${request_id}","ignored":[]}`
}

const NEEDS_NO_ESCAPE = /^[\w/.?=&%~-]*$/
