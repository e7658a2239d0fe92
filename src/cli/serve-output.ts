import { withoutSecrets } from '../contract/redact.ts'
import type { Entry } from '../domain/events.ts'
import { entryText } from '../engine/journal/journal-format.ts'
import type { RequestRecord, Simulator } from '../simulator.ts'
import { jsonLine } from './json-line.ts'
import { requestLine } from './request-line.ts'

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
        entry: (account, entry) =>
          print(`{"event":"entry","account":"${account}",${entryText(entry).slice(1)}`),
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
  const print = (line: string) => {
    if (waiting === '') setTimeout(flush, 10)
    // Logs are stored and forwarded: only the ready line may contain secrets.
    waiting += jsonLine(withoutSecrets(line))
  }
  return { print, flush }
}

export async function terminalOutput(): Promise<ServeOutput> {
  const { default: chalk } = await import('chalk')
  const statusColour = (status: number) =>
    status < 400 ? chalk.green : status < 500 ? chalk.yellow : chalk.red
  return {
    ready(simulator) {
      const { url, control_url, control_token, data_dir, store, accounts } = simulator.facts()
      const fact = (name: string, value: string) => `  ${chalk.dim(name.padEnd(10))} ${value}`
      const lines = [
        `${chalk.bold('paysim')} is ready at ${chalk.cyan(url)}`,
        '',
        ...accounts.map(({ id, public_key, secret_key }) => fact(id, `${public_key}:${secret_key}`)),
        fact('dashboard', simulator.newSignInLink()),
        fact('control', `${control_url}  ${chalk.dim(control_token)}`),
        fact('data', data_dir ?? (store === 'memory:' ? 'in memory, lost when the server stops' : store)),
        '',
        chalk.dim('Press Ctrl-C to stop.'),
      ]
      process.stdout.write(`${lines.join('\n')}\n\n`)
      follow(simulator, {
        request: ({ at, account, method, path, status, ms }) => {
          const time = chalk.dim(at.slice(11, 23))
          const colour = statusColour(status)
          const who = chalk.dim((account ?? '').padEnd(14))
          process.stdout.write(
            `${time} ${who} ${colour(String(status))} ${method.padEnd(4)} ${path} ${chalk.dim(`${ms} ms`)}\n`,
          )
        },
        entry: (account, { at, events }) => {
          const shown = events.map(({ type }) => type).filter(type => !NOISE.has(type))
          if (shown.length === 0) return
          const time = chalk.dim(new Date(at).toISOString().slice(11, 23))
          process.stdout.write(
            `${time} ${chalk.dim(account.padEnd(14))}     ${chalk.dim(shown.join(', '))}\n`,
          )
        },
      })
    },
    flush: () => {},
    warn: message => process.stderr.write(`${chalk.yellow('paysim:')} ${message}\n`),
  }
}

/** Bookkeeping events that are noise on a terminal. */
const NOISE = new Set(['TimerSet', 'TimerFired', 'AnswerKept', 'ClockSet', 'AttemptStarted'])

interface Follower {
  request(record: RequestRecord): void
  entry(account: string, entry: Entry): void
}

function follow({ requests, gateway }: Simulator, follower: Follower): void {
  requests.onRequest(follower.request)
  gateway.onEntry((runtime, entry) => follower.entry(runtime.account.id, entry))
}
