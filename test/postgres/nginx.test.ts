import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callThrough, HOST, startNginx, whyNoNginx } from '../support/cluster/nginx.ts'
import { driverOf, removeDirectory, type Server, startServer } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** A cluster behind nginx with the configuration of docs/cluster.md. */

const reason = whyNoPostgres() ?? whyNoNginx()
if (reason !== undefined) console.warn(`A balancer in front of a cluster is not tested here: ${reason}`)

const ARGS = ['--public-url', `http://${HOST}`, '--control-token', 'the-token-of-the-whole-cluster']
const PAYMENT = paying('th_bank_transfer')

async function threeProcesses(): Promise<[Server, Server, Server]> {
  const store = await (await workerPostgres()).newDatabase()
  const first = await startServer({ store, args: ARGS })
  const nodes = [first]
  onTestFinished(async () => {
    await Promise.all(nodes.map(node => node.kill()))
    await removeDirectory(first.dataDir)
  })
  const another = async () => {
    const node = await startServer({ store, args: ARGS, dataDir: first.dataDir })
    nodes.push(node)
    return node
  }
  return [first, await another(), await another()]
}

/** Without the balancer, whose name is that of no host. */
const at = ({ listen, controlToken, accounts }: Server) =>
  driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })

async function behindNginx() {
  const nodes = await threeProcesses()
  const socket = await startNginx(nodes.map(({ listen }) => listen))
  const [keys] = nodes[0].accounts
  if (!keys) throw new Error('no account')
  const create = async (key?: string): Promise<string> => {
    const created = await callThrough(socket, keys, 'POST', '/payment_intents', { body: PAYMENT, key })
    expect(created.status, created.text).toBe(201)
    return created.body.id
  }
  const read = async (id: string) => {
    const answer = await callThrough(socket, keys, 'GET', `/payment_intents/${id}`)
    expect(answer).toMatchObject({ status: 200, body: { id } })
  }
  return { nodes, keys, create, read }
}

test.skipIf(reason !== undefined)(
  'nginx with the documented setup spreads calls over three processes and keeps working with two',
  async () => {
    const { nodes, create, read } = await behindNginx()
    const payments: string[] = []
    for (let nth = 0; nth < 6; nth++) payments.push(await create())
    // The process that was called first holds it; the two others forward their calls.
    await nodes[0].kill()
    for (let nth = 0; nth < 6; nth++) payments.push(await create())
    for (const id of payments) await read(id)
    expect(new Set(payments).size).toBe(12)
  },
)

test.skipIf(reason !== undefined)(
  'while a process is paused, every call that may be repeated is answered, and carried out once',
  async () => {
    const { nodes, keys, create, read } = await behindNginx()
    const id = await create()
    const pid = nodes[0].pid
    onTestFinished(() => void process.kill(pid, 'SIGCONT'))
    // It holds the account, and nginx gives it a third of all calls.
    process.kill(pid, 'SIGSTOP')
    const orders = Array.from({ length: 12 }, (_, nth) => `order ${nth}`)
    const created = await Promise.all(orders.map(key => create(key)))
    await Promise.all(orders.map(() => read(id)))
    process.kill(pid, 'SIGCONT')
    // It has read by then what nginx had sent to it, and given up.
    await expect
      .poll(async () => (await at(nodes[0]).as(keys)('GET', `/payment_intents/${id}`)).status)
      .toBe(200)
    expect(await Promise.all(orders.map(key => create(key)))).toEqual(created)
    const { body } = await at(nodes[1]).control('GET', `/accounts/${keys.id}/payments`)
    expect(body.data).toHaveLength(1 + orders.length)
  },
)

/** A kept connection, as a balancer has it. */
async function keptConnection({ listen }: Server): Promise<Socket> {
  const { hostname, port } = new URL(listen)
  const connection = connect(Number(port), hostname)
  onTestFinished(() => void connection.destroy())
  await once(connection, 'connect')
  return connection
}

async function answerOn(connection: Socket, request: string): Promise<string> {
  connection.write(request)
  let answer = ''
  connection.setEncoding('utf8')
  for await (const [text] of onData(connection)) {
    answer += text
    const [head = '', body] = answer.split('\r\n\r\n')
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1])
    if (body !== undefined && Buffer.byteLength(body) >= length) return answer
  }
  return answer
}

async function* onData(connection: Socket): AsyncGenerator<[string]> {
  for (;;) {
    const ended = once(connection, 'close').then(() => undefined)
    const chunk = await Promise.race([once(connection, 'data'), ended])
    if (!chunk) return
    yield chunk as [string]
  }
}

/** Resolves once the process takes no new connection. */
async function refuses(node: Server): Promise<void> {
  const isTaken = () =>
    keptConnection(node).then(
      connection => {
        connection.destroy()
        return true
      },
      () => false,
    )
  await expect.poll(isTaken, { interval: 10 }).toBe(false)
}

test.skipIf(reason !== undefined)(
  'a process that stops answers on the connections that a balancer keeps, and ends each of them with its answer',
  async () => {
    const [leaving, other] = await threeProcesses()
    const [keys] = leaving.accounts
    if (!keys) throw new Error('no account')
    expect((await at(leaving).as(keys)('POST', '/payment_intents', { body: PAYMENT })).status).toBe(201)
    const kept = await Promise.all([1, 2].map(() => keptConnection(leaving)))
    const body = JSON.stringify(PAYMENT)
    const authorization = `authorization: Basic ${btoa(`${keys.public_key}:${keys.secret_key}`)}`
    const requestOf = (line: string, content = '') =>
      `${line} HTTP/1.1\r\nhost: ${HOST}\r\n${authorization}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(content)}\r\n\r\n${content}`
    const first = await Promise.all(kept.map(each => answerOn(each, requestOf('GET /payout_intents'))))
    for (const answer of first) expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: keep-alive/i)

    const stopped = leaving.stop()
    await refuses(leaving)
    const [plain, byNode] = kept
    if (!plain || !byNode) throw new Error('no connection')
    const last = await Promise.all([
      answerOn(plain, requestOf('POST /payment_intents', body)),
      answerOn(
        byNode,
        requestOf('POST /payment_intents', body).replace('content-type', 'expect: 100-continue\r\n$&'),
      ),
    ])
    expect(last[0]).toMatch(/^HTTP\/1\.1 201 [\s\S]*connection: close/i)
    expect(last[1]).toMatch(/HTTP\/1\.1 201 [\s\S]*connection: close/i)
    expect(await stopped).toBe(0)
    const { body: listed } = await at(other).control('GET', `/accounts/${keys.id}/payments`)
    expect(listed.data).toHaveLength(3)
  },
)
