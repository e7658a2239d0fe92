import { type SpawnOptions, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

interface ReadyLine {
  event: string
  url: string
  control_url: string
  control_token: string
  accounts: { id: string; public_key: string; secret_key: string }[]
}

export interface PackedServer {
  readonly ready: ReadyLine
  /** Sends SIGTERM, and returns the exit code and stderr. */
  readonly stop: () => Promise<{ code: number | null; stderr: string }>
}

/** A server that this command starts on a free port: `paysim serve`, with what it needs before it. */
export async function servePacked(
  [program = '', ...args]: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> = {},
): Promise<PackedServer> {
  const child = spawn(program, [...args, '--json', '--port', '0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  const closed = new Promise<number | null>(resolve => child.once('close', resolve))
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', line => resolve(JSON.parse(line)))
    closed.then(code => reject(new Error(`it ended with ${code} before it was ready:\n${stderr}`)))
  })
  return {
    ready,
    stop: async () => {
      child.kill('SIGTERM')
      return { code: await closed, stderr }
    },
  }
}
