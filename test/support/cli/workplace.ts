import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type Run, runCommand, startCommand } from './run-command.ts'

/** A running command. */
export interface Running {
  /** Resolves with the text so far, once either stream contains this. */
  readonly says: (pattern: RegExp) => Promise<string>
  /** Ctrl-C. */
  readonly interrupt: () => void
  readonly ended: Promise<Run>
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
}

/** A working folder and an empty home: a command finds there only what the test created. */
export interface Workplace {
  readonly path: (name: string) => string
  readonly write: (name: string, contents: string | Uint8Array) => Promise<string>
  readonly writeProfiles: (book: unknown) => Promise<void>
  readonly paysim: (args: readonly string[], options?: CommandOptions) => Promise<Run>
  readonly start: (args: readonly string[], options?: CommandOptions) => Running
}

const secrets = new Set<string>()

/** From now on, a test fails if a command prints this on either stream. */
export function keepSecret(...texts: readonly string[]): void {
  for (const text of texts) secrets.add(text)
}

/** A pair of keys, also in the form of the Authorization header. */
export function keepKeysSecret(keys: { readonly public_key: string; readonly secret_key: string }): void {
  keepSecret(keys.secret_key, Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64'))
}

interface Settings {
  /** Runs each command in its own process: for commands that run at the same time, or report something only once. */
  readonly apart?: boolean
}

export async function openWorkplace({
  apart = false,
}: Settings = {}): Promise<Workplace & { readonly close: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'paysim-suite-'))
  const [home, desk] = [join(root, 'home'), join(root, 'desk')]
  await Promise.all([mkdir(home), mkdir(desk)])
  const path = (name: string) => join(desk, name)
  const environment = { ...machineVariables(process.env), HOME: home, USERPROFILE: home, TZ: 'Asia/Bangkok' }
  const here = ({ env = {}, input = '' }: CommandOptions) => ({
    cwd: desk,
    env: { ...environment, XDG_CONFIG_HOME: join(home, 'config'), ...env },
    input,
  })
  const start: Workplace['start'] = (args, options = {}) => {
    const child = startCommand(args, here(options))
    const listening = new Set<() => void>()
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
        for (const listen of listening) listen()
      })
    const ended = child.then(({ exitCode, stdout, stderr }) =>
      checked(args, { code: exitCode, stdout, stderr }),
    )
    return {
      ended,
      interrupt: () => child.kill('SIGINT'),
      says: pattern =>
        new Promise((resolve, reject) => {
          const listen = () => pattern.test(said) && resolve(said)
          listening.add(listen)
          listen()
          ended.then(() => reject(new Error(`it ended without having said ${pattern}:\n${said}`)), reject)
        }),
    }
  }
  return {
    path,
    start,
    paysim: async (args, options = {}) =>
      apart ? start(args, options).ended : checked(args, await runCommand(args, here(options))),
    async write(name, contents) {
      await writeFile(path(name), contents)
      return path(name)
    },
    async writeProfiles(book) {
      await mkdir(join(home, 'config', 'paysim'), { recursive: true, mode: 0o700 })
      await writeFile(join(home, 'config', 'paysim', 'profiles.json'), JSON.stringify(book), { mode: 0o600 })
    },
    close: () => rm(root, { recursive: true, force: true }),
  }
}

/** A workplace for all tests of a file or of a describe. */
export function useWorkplace(settings: Settings = {}): () => Workplace {
  let open: Awaited<ReturnType<typeof openWorkplace>> | undefined
  beforeAll(async () => {
    open = await openWorkplace(settings)
  })
  afterAll(() => open?.close())
  return () => {
    if (!open) throw new Error('the workplace is there only inside tests')
    return open
  }
}

/** The variables that the machine needs to run a program, and none that affect paysim or a terminal. */
function machineVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const needed = ['PATH', 'Path', 'PATHEXT', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR']
  return Object.fromEntries(needed.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]])))
}

/** Checks every run: no secret is printed, and no error shows a stack. */
function checked(args: readonly string[], run: Run): Run {
  const said = `${run.stdout}\n${run.stderr}`
  for (const secret of secrets)
    if (said.includes(secret)) throw new Error(`paysim ${args.join(' ')} printed a secret:\n${said}`)
  if (/^\s+at \S.*(?:\.js|node:\S+):\d+/m.test(said))
    throw new Error(`paysim ${args.join(' ')} broke:\n${said}`)
  return run
}
