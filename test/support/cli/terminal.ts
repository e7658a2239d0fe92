import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BINARY } from '../paysim-binary.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { TmuxControl } from './tmux-control.ts'

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  /** The working directory; a new, empty one by default. */
  readonly cwd?: string
  /** Added to a clean environment whose home is the working directory. */
  readonly env?: Readonly<Record<string, string>>
  /** Redirects stdout, as `> file` does. */
  readonly stdout?: string
}

/** A program in a real pseudo-terminal. */
export interface Terminal {
  readonly cwd: string
  /** Types text, letter by letter. */
  type(text: string): Promise<void>
  /** Presses keys by their tmux names: Enter, Down, Tab, BSpace, C-c. */
  press(...keys: string[]): Promise<void>
  /** Resolves with the screen once it shows this. Fails if the program ends first. */
  waitFor(wanted: string | RegExp): Promise<string>
  /** The screen and what has scrolled off it; with colour codes on request. */
  capture(options?: { colours?: boolean }): Promise<string>
  resize(columns: number, rows: number): Promise<void>
  /** The exit code after the program has ended. */
  exit(): Promise<number>
  close(): Promise<void>
}

/** Why terminals are not available here, for `it.skipIf(…)`, which prints nothing itself. */
export const noTerminal: string | undefined = findOut()

function findOut(): string | undefined {
  const { status } = spawnSync('tmux', ['-V'])
  if (status === 0) return undefined
  const reason = 'skipped: tests on a terminal need tmux, which is not installed'
  process.stderr.write(`${reason}\n`)
  return reason
}

/** Long enough for a loaded machine; a passing test does not wait for it. */
const PATIENCE_MS = 20_000

/** Runs `paysim` with these arguments in a new terminal. */
export async function openTerminal(
  args: readonly string[],
  { columns = 100, rows = 40, stdout, ...options }: TerminalOptions = {},
): Promise<Terminal> {
  const own = await mkdtemp(join(tmpdir(), 'paysim-terminal-'))
  const cwd = options.cwd ?? own
  const settings = join(own, 'tmux.conf')
  await writeFile(settings, SETTINGS)
  const env = { ...cleanEnvironment(cwd), ...options.env }
  const session = ['new-session', '-x', String(columns), '-y', String(rows), '-c', cwd]
  const program = ['sh', '-c', script(args, stdout)]
  const server = ['-S', join(own, 'tmux'), '-f', settings, '-u', '-C']
  const tmux = new TmuxControl([...server, ...session, ...program], { cwd, env })
  await tmux.ready()
  return terminalOf(tmux, cwd, () => rm(own, { recursive: true, force: true }))
}

const SETTINGS = `set -g default-terminal tmux-256color
set -g history-limit 20000
set -g status off
set -s escape-time 0
`

/** The program's output stays on the screen; its exit code becomes the window title. */
function script(args: readonly string[], stdout: string | undefined): string {
  const program = [process.execPath, BINARY, ...args].map(quoted).join(' ')
  const line = stdout === undefined ? program : `${program} > ${quoted(stdout)}`
  return `trap : INT; ${line}; printf '\\033]2;ended %s\\007' $?; exec cat`
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function terminalOf(tmux: TmuxControl, cwd: string, tidy: () => Promise<void>): Terminal {
  const capture: Terminal['capture'] = async ({ colours = false } = {}) =>
    (await tmux.ask(`capture-pane -p -J -S - ${colours ? '-e' : ''}`)).join('\n').trimEnd()
  const ended = async () => {
    const [title = ''] = await tmux.ask("display-message -p '#{pane_title}'")
    const code = /^ended (\d+)$/.exec(title)?.[1]
    return code === undefined ? undefined : { code: Number(code) }
  }
  return {
    cwd,
    capture,
    type: async text => {
      const bytes = [...Buffer.from(text)].map(byte => byte.toString(16).padStart(2, '0'))
      await tmux.ask(`send-keys -H ${bytes.join(' ')}`)
    },
    press: async (...keys) => {
      await tmux.ask(`send-keys ${keys.join(' ')}`)
    },
    resize: async (columns, rows) => {
      await tmux.ask(`resize-window -x ${columns} -y ${rows}`)
    },
    waitFor: wanted =>
      awaited(tmux, `the screen to show ${wanted}`, capture, async () => {
        // Ask before reading the screen, so that the last output is on it.
        const over = await ended()
        const screen = await capture()
        if (typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen)) return screen
        if (over) throw new Error(`it ended with ${over.code} before it showed ${wanted}:\n${screen}`)
        return undefined
      }),
    exit: async () => (await awaited(tmux, 'the program to end', capture, ended)).code,
    close: async () => {
      await tmux.close()
      await tidy()
    },
  }
}

/** Checks again whenever the terminal reports something. */
function awaited<T>(
  tmux: TmuxControl,
  what: string,
  capture: Terminal['capture'],
  look: () => Promise<T | undefined>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const patience = setTimeout(async () => {
      stop()
      reject(new Error(`timed out waiting for ${what}:\n${await capture().catch(String)}`))
    }, PATIENCE_MS)
    const turn = () =>
      look().then(
        found => {
          if (found === undefined) return
          stop()
          resolve(found)
        },
        error => {
          stop()
          reject(error)
        },
      )
    const unlisten = tmux.onNews(turn)
    const stop = () => {
      clearTimeout(patience)
      unlisten()
    }
    void turn()
  })
}
