import { driverOf, removeDirectory, type Server, startServer } from '../gateway/server.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** Several processes on one database, behind a balancer. */
export interface Cluster {
  /** All of them as one server: each call goes to the next process. */
  readonly server: Server
  readonly nodes: readonly Server[]
  readonly balancer: TcpProxy
  /** Starts one more. */
  join(env?: Readonly<Record<string, string>>): Promise<Server>
  /** Sends it no more calls. The caller must stop it. */
  leave(node: Server): void
}

interface Settings {
  readonly store: string
  readonly nodes: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

const TOKEN = 'the-token-of-the-whole-cluster'

export async function startCluster({
  store,
  nodes: count,
  args = [],
  env: envOfFirst,
}: Settings): Promise<Cluster> {
  const nodes: Server[] = []
  const balancer = await startTcpProxy([])
  const url = `http://127.0.0.1:${balancer.port}`
  const all = ['--public-url', url, '--control-token', TOKEN, ...args]
  const aim = () => balancer.target(nodes.map(node => Number(new URL(node.listen).port)))
  const join = async (env: Readonly<Record<string, string>> = {}) => {
    const dataDir = nodes[0]?.dataDir
    const node = await startServer({ store, args: all, env, ...(dataDir === undefined ? {} : { dataDir }) })
    nodes.push(node)
    aim()
    return node
  }
  const leave = (node: Server) => {
    nodes.splice(nodes.indexOf(node), 1)
    aim()
  }
  for (let nth = 0; nth < count; nth++) await join(envOfFirst)
  const [first] = nodes
  if (!first) throw new Error('a cluster needs a process')
  const control_url = `${url}/_paysim`
  const driver = driverOf({ url, control_url, control_token: TOKEN, accounts: first.accounts }, true)
  const endAll = async (end: (node: Server) => Promise<unknown>) => {
    await Promise.all(nodes.map(end))
    await balancer.close()
    await removeDirectory(first.dataDir)
  }
  const server: Server = {
    ...first,
    ...driver,
    url,
    controlUrl: control_url,
    pids: nodes.map(({ pid }) => pid),
    stderr: () => nodes.map(node => node.stderr()).join(''),
    stop: async () => {
      await endAll(node => node.stop())
      return 0
    },
    kill: () => endAll(node => node.kill()),
  }
  return { server, nodes, balancer, join, leave }
}
