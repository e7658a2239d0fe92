import { beforeAll, onTestFinished } from 'vitest'
import { removeDirectory, type Server, startServer } from './server.ts'
import { startWithContract, workerServer } from './worker-server.ts'

/** The worker's server. Each test has its own account. */
export function sharedServer(): () => Server {
  return whileTestsRun(async () => ({ server: await workerServer() }))
}

/** A server for this test file, started before its first test and stopped after its last. */
export function fileServer(options: Parameters<typeof startServer>[0] = {}): () => Server {
  return whileTestsRun(async () => {
    const server = await startServer(options)
    return { server, end: () => discard(server) }
  })
}

/** A server with another contract, for the tests of a file or of a describe. */
export function contractServer(contract: Readonly<Record<string, unknown>>): () => Server {
  return whileTestsRun(async () => {
    const server = await startWithContract(contract)
    return { server, end: () => discard(server) }
  })
}

function whileTestsRun(begin: () => Promise<{ server: Server; end?: () => Promise<void> }>): () => Server {
  let server: Server | undefined
  beforeAll(async () => {
    const begun = await begin()
    server = begun.server
    return begun.end
  })
  return () => {
    if (!server) throw new Error('the server is there only while tests run')
    return server
  }
}

/** Stops a server and removes its data. */
async function discard(server: Server): Promise<void> {
  await server.stop()
  await removeDirectory(server.dataDir)
}

/** A server for one test, started and stopped by it. */
export async function ownServer(options: Parameters<typeof startServer>[0] = {}): Promise<Server> {
  const server = await startServer(options)
  onTestFinished(() => discard(server))
  return server
}

/** Stops the server and starts another one on its data directory. */
export async function restarted(server: Server, args: string[] = []): Promise<Server> {
  await server.stop()
  return ownServer({ dataDir: server.dataDir, args })
}

/** Kills the server and starts another one on its data directory. */
export async function recovered(server: Server, args: string[] = []): Promise<Server> {
  await server.kill()
  return ownServer({ dataDir: server.dataDir, args })
}
