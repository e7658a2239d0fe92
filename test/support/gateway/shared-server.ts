import { beforeAll, onTestFinished } from 'vitest'
import { removeDirectory, type Server, startServer } from './server.ts'
import { workerServer } from './worker-server.ts'

/** The worker's server: isolation is by account. */
export function sharedServer(): () => Server {
  return whileTestsRun(async () => ({ server: await workerServer() }))
}

/** A server for the test file alone, started before its first test and discarded after its last. */
export function fileServer(options: Parameters<typeof startServer>[0] = {}): () => Server {
  return whileTestsRun(async () => {
    const server = await startServer(options)
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

/** Stops a server that a test is done with and removes what it kept. */
async function discard(server: Server): Promise<void> {
  await server.stop()
  await removeDirectory(server.dataDir)
}

/** A server of the test's own, started as the test says and discarded with it. */
export async function ownServer(options: Parameters<typeof startServer>[0] = {}): Promise<Server> {
  const server = await startServer(options)
  onTestFinished(() => discard(server))
  return server
}

/** Stops the server and starts another on its data directory. */
export async function restarted(server: Server, args: string[] = []): Promise<Server> {
  await server.stop()
  return ownServer({ dataDir: server.dataDir, args })
}

/** Kills the server as a crash would and starts another on its data directory. */
export async function recovered(server: Server, args: string[] = []): Promise<Server> {
  await server.kill()
  return ownServer({ dataDir: server.dataDir, args })
}
