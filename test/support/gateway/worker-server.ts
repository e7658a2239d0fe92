import { rmSync } from 'node:fs'
import { type Server, startServer } from './server.ts'

/**
 * Servers that stay for all test files of a worker. Isolation is by account: a test that needs a merchant makes one, and
 * takes nothing for granted about the server as a whole. A test that does needs a server of its own.
 */
const running = new Map<string, Promise<Server>>()

/** The server of this worker that was started with these arguments. */
export function workerServer(args: readonly string[] = []): Promise<Server> {
  const key = JSON.stringify(args)
  const started = running.get(key) ?? start([...args])
  running.set(key, started)
  return started
}

async function start(args: string[]): Promise<Server> {
  const server = await startServer({ args })
  process.once('exit', () => discard(server))
  return server
}

function discard({ pid, dataDir }: Server): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // A test ended it.
  }
  rmSync(dataDir, { recursive: true, force: true })
}

// A worker is ended by a signal, or by itself when the runner is gone, and Node says "exit" after neither.
process.once('SIGTERM', () => process.exit())
process.once('disconnect', () => process.exit())
