// A suite of tests in one process. Prints how long they took, and what they left.
import { Agent, createServer, request } from 'node:http'
import { median } from './rounds.js'

const [library, count] = process.argv.slice(2)
const { startSimulator } = await import(library)
const tests = Number(count)
const sim = await startSimulator()

const first = await timed(() => test('first'))
await repeat(tests, nth => test(`warm-${nth}`))
const walls = []
const kept = []
const before = heap()
const busy = await repeat(tests, async nth => {
  const startedAt = performance.now()
  kept.push(await test(`kept-${nth}`))
  walls.push(performance.now() - startedAt)
})
const kilobytes = (heap() - before) / tests / 1024

const removing = async nth => (await test(`removed-${nth}`)).remove()
await repeat(tests, removing)
const emptied = heap()
await repeat(tests, removing)
const removed = (heap() - emptied) / tests / 1024

const bare = await bareExchange()
await sim.stop()
console.log(JSON.stringify({ test: { measured: median(walls), busy }, first, kilobytes, removed, bare }))

async function test(name) {
  const account = await sim.createAccount({ clock: 'virtual' })
  const { id } = await account.client.payments.create({
    amount: '25000',
    currency: 'THB',
    country: 'TH',
    checkout_mode: 'merchant',
    merchant_reference: name,
    payment_method: 'th_promptpay',
    customer: { name: 'Somchai Jaidee' },
  })
  await account.payments.succeed(id)
  const { data } = await account.webhooks.next({ type: 'payment.succeeded' })
  if (data.id !== id) throw new Error(`the webhook is about ${data.id}, not ${id}`)
  return account
}

async function timed(work) {
  const [startedAt, used] = [performance.now(), processor()]
  await work()
  return { measured: performance.now() - startedAt, busy: processor() - used }
}

/** Returns the processor time of one. */
async function repeat(times, work) {
  const used = processor()
  for (let nth = 0; nth < times; nth++) await work(nth)
  return (processor() - used) / times
}

function processor() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function heap() {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function bareExchange() {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.end('{"id":1}'))
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true })
  const { port } = server.address()
  const exchange = () =>
    new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method: 'POST', agent }, async answer => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve(JSON.parse(text))
      })
      outgoing.on('error', reject).end('{"id":1}')
    })
  await repeat(500, exchange)
  const walls = []
  const busy = await repeat(1000, async () => {
    const startedAt = performance.now()
    await exchange()
    walls.push(performance.now() - startedAt)
  })
  agent.destroy()
  server.close()
  return { measured: median(walls), busy }
}
