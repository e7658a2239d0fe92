import { spawn } from 'node:child_process'
import { BINARY } from '../paysim-binary.ts'

export interface Execution {
  pid: number
  /** Resolves with the output so far, once it has this. */
  printed: (text: string | RegExp) => Promise<string>
  kill: (signal: NodeJS.Signals) => void
  /** Resolves when its output is closed by paysim and by everything that its command started. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>
}

interface CommandOptions {
  cwd?: string
  input?: string
  env?: Record<string, string>
}

/** `paysim exec` with these arguments. */
export function exec(args: readonly string[], { cwd, input = '', env }: CommandOptions = {}): Execution {
  const child = spawn(process.execPath, [BINARY, 'exec', ...args], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
  })
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text
    for (const look of waiting) look()
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  child.stdin.end(input)
  const ended: Execution['ended'] = new Promise(resolve =>
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  )
  return {
    pid: child.pid ?? 0,
    printed: text =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!(text instanceof RegExp ? text.test(stdout) : stdout.includes(text))) return
          waiting.delete(look)
          resolve(stdout)
        }
        waiting.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended without printing ${text}:\n${stdout}${stderr}`)))
      }),
    kill: signal => child.kill(signal),
    ended,
  }
}

/** A command that runs this JavaScript. */
export const node = (script: string) => ['--', process.execPath, '--input-type=module', '-e', script]

/** The same, with `control(method, path, body)` available. */
export const withControl = (script: string) =>
  node(`
    const control = async (method, path, body) => {
      const response = await fetch(process.env.PAYSIM_CONTROL_URL + path, {
        method,
        headers: { authorization: 'Bearer ' + process.env.PAYSIM_CONTROL_TOKEN, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      return response.json()
    }
    const account = (path, body) =>
      control(body ? 'POST' : 'GET', '/accounts/' + process.env.PAYSIM_ACCOUNT + path, body)
    ${script}`)
