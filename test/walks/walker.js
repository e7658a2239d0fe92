// Makes one walk in this process and tells its parent the files of src/ of which a function ran.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , name, folder, given] = process.argv
const server = JSON.parse(given)
const source = pathToFileURL(join(folder, 'src/')).href
const load = path => import(source + path)

const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** The files of which a function ran since the last call. The body of a module is no function: it belongs to the start. */
async function filesSince() {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  return result
    .filter(({ url }) => url.startsWith(source) && !url.includes('/_virtual/'))
    .filter(({ functions }) =>
      functions.some(
        ({ functionName, ranges: [{ startOffset, count }] }) =>
          count > 0 && !(functionName === '' && startOffset === 0),
      ),
    )
    .map(({ url }) => url.slice(source.length).replace(/\.js$/, '.ts'))
    .sort()
}

/** Does the same twice, and gives the files of the second time. */
async function secondOf(act) {
  await act()
  await filesSince()
  await act()
  return filesSince()
}

const FLAGS = [
  '--merchant-reference',
  'order',
  '--amount',
  '5000',
  '--currency',
  'THB',
  '--country',
  'TH',
  '--customer-name',
  'Somchai',
]
const PAYMENT = { amount: '5000', currency: 'THB', country: 'TH', customer: { name: 'Somchai' } }

/** A server in this process, with its store on disk. */
async function aServer(options = {}) {
  const { Simulator } = await load('simulator.js')
  const simulator = await Simulator.start({
    dataDir: 'data',
    port: 0,
    clock: 'virtual',
    controlToken: 'a control token',
    ...options,
  })
  const { url, control_url, accounts } = simulator.facts()
  const keys = accounts.find(({ id }) => id === 'default.test')
  const authorization = `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`
  let nth = 0
  const call = async (address, headers, body) => {
    const method = body ? 'POST' : 'GET'
    const response = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${address} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  return {
    simulator,
    pay: () =>
      call(
        `${url}/payment_intents`,
        { authorization, 'content-type': 'application/json', 'idempotency-key': `order ${++nth}` },
        { ...PAYMENT, merchant_reference: `order ${nth}` },
      ),
    look: path =>
      call(`${control_url}/accounts/default.test${path}`, { authorization: 'Bearer a control token' }),
  }
}

const WALKS = {
  'a POST of a payment': async () => {
    const { simulator, pay } = await aServer()
    const files = await secondOf(pay)
    await simulator.stop()
    return files
  },
  'a webhook': async () => {
    const receiver = createServer((request, response) => request.resume().on('end', () => response.end()))
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const { simulator } = await aServer({ clock: 'real' })
    const { account } = await simulator.gateway.account('default.test').open()
    account.execute(
      { type: 'AddEndpoint', url: `http://127.0.0.1:${receiver.address().port}/hooks`, events: ['*'] },
      'operator',
    )
    const files = await secondOf(async () => {
      const delivered = new Promise(resolve =>
        account.onEntry(({ events }) => events.some(({ type }) => type === 'AttemptEnded') && resolve()),
      )
      account.execute({ type: 'SendEvent', name: 'payment.updated', data: {} }, 'operator')
      await delivered
      await account.journal.durable(account.world.seq)
    })
    await simulator.stop()
    receiver.close()
    return files
  },
  'a row of the dashboard': async () => {
    const { simulator, pay, look } = await aServer()
    for (let nth = 0; nth < 5; nth++) await pay()
    const files = await secondOf(() => look('/browse/payments?limit=1'))
    await simulator.stop()
    return files
  },
  '`payments create`': async () => {
    const [{ dispatch }, { COMMANDS }] = await Promise.all([load('cli/dispatch.js'), load('cli/commands.js')])
    const keys = server.accounts.find(({ id }) => id === 'default.test')
    process.env.PAYSIM_BASE_URL = server.url
    process.env.PAYSIM_PUBLIC_KEY = keys.public_key
    process.env.PAYSIM_SECRET_KEY = keys.secret_key
    for (const output of [process.stdout, process.stderr])
      output.write = (_, ...more) => {
        more.at(-1)?.()
        return true
      }
    return secondOf(() => dispatch(COMMANDS, ['payments', 'create', ...FLAGS]))
  },
  'a step `advance`': async () => {
    const { loadScenario, runScenario } = await load('scenario/index.js')
    writeFileSync('walk.yaml', `${STORY}steps: [advance: 1s, advance: 2s, advance: 3s]\n`)
    const { target, close } = await openTarget()
    const looks = []
    // A step begins where the one before has ended.
    const began = () => void looks.push(filesSince())
    await runScenario(await loadScenario('walk.yaml'), { target, run: 'walk', began })
    const files = await Promise.all(looks)
    await close()
    return files[2]
  },
  'a try of `explore`': async () => {
    const [{ explore }, { loadScenario }] = await Promise.all([
      load('explore/explore.js'),
      load('scenario/index.js'),
    ])
    writeFileSync('shop.mjs', SHOP)
    writeFileSync('walk.yaml', `${STORY}${ORDER}`)
    const { target, close } = await openTarget()
    const looks = []
    const tried = () => void looks.push(filesSince())
    const settings = {
      seed: 1,
      jobs: 1,
      kinds: ['webhook-twice', 'call-lost-answer'],
      mostRuns: 4,
      tried,
      run: 'walk',
      target,
    }
    const { plain } = await explore(await loadScenario('walk.yaml'), settings)
    if (!plain.ok) throw new Error(JSON.stringify(plain.steps.at(-1)))
    const files = await Promise.all(looks)
    await close()
    return files[1]
  },
}

const STORY = 'paysim: 1\nname: a walk\n'
const ORDER = `provider: [{ outcome: { after: 1s, status: succeeded } }]
app: { start: node shop.mjs, webhooks: /webhooks }
steps:
  - call app: POST /orders
    expect: { status: 201 }
  - call app: POST /orders
    expect: { status: 201 }
  - advance: 1m
`
/** An application that makes a payment for each order, and takes its webhooks. */
const SHOP = `import { createServer } from 'node:http'
const { PORT, PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = process.env
const authorization = 'Basic ' + btoa(PAYSIM_PUBLIC_KEY + ':' + PAYSIM_SECRET_KEY)
const headers = { authorization, 'content-type': 'application/json' }
let orders = 0
createServer(async (request, response) => {
  request.resume()
  if (request.url !== '/orders') return response.end()
  const name = String(++orders)
  const body = JSON.stringify({ ...${JSON.stringify(PAYMENT)}, merchant_reference: name })
  const create = () =>
    fetch(PAYSIM_BASE_URL + '/payment_intents', { method: 'POST', headers: { ...headers, 'idempotency-key': name }, body })
  await create().catch(create)
  response.writeHead(201, { 'content-type': 'application/json' }).end('{}')
}).listen(PORT, '127.0.0.1')
`

async function openTarget() {
  const { openSimulatorTarget } = await load('scenario/index.js')
  const { url, control_url: controlUrl, control_token: controlToken } = server
  return openSimulatorTarget({ url, controlUrl, controlToken })
}

const files = await WALKS[name]()
process.send(files, () => process.disconnect())
