// A wallet: every change is a line in a log file, and the balance is computed from the lines. It takes deposits, cancels
// them, and sends receipts. `node wallet.mjs STYLE` is correct in each style; wrong-wallet.mjs replaces some parts.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const env = process.env
const LOG = join(env.PAYSIM_APP_DATA, 'wallet.log')
const AUTHORIZATION = `Basic ${Buffer.from(`${env.PAYSIM_PUBLIC_KEY}:${env.PAYSIM_SECRET_KEY}`).toString('base64')}`
const KEY = Buffer.from(env.PAYSIM_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const SLIP = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const OUTCOMES = { succeeded: 'credited', failed: 'failed', expired: 'expired', cancelled: 'cancelled' }

const PARTS = {
  write(wallet, entry) {
    const file = openSync(LOG, 'a')
    writeSync(file, `${JSON.stringify(entry)}\n`)
    fsyncSync(file)
    closeSync(file)
    wallet.apply(entry)
  },
  apply(wallet, { type, reference, ...rest }) {
    const deposit = wallet.deposits[reference]
    if (type === 'asked') wallet.deposits[reference] = { reference, status: 'pending', slips: 0, ...rest }
    else if (type === 'queued') wallet.queue.push(rest.event)
    else if (type === 'worked') wallet.queue.shift()
    else if (type === 'slip') deposit.slips += 1
    else Object.assign(deposit, rest)
  },
  load(wallet) {
    if (!existsSync(LOG)) return
    for (const line of readFileSync(LOG, 'utf8').split('\n')) if (line) wallet.apply(JSON.parse(line))
  },
  balance: (wallet, owner) =>
    Object.values(wallet.deposits)
      .filter(({ reference, status }) => reference.startsWith(owner) && status === 'credited')
      .reduce((sum, { amount }) => sum + Number(amount), 0),

  async call(wallet, method, path, { key, body, type = 'application/json' }) {
    for (let left = 5; ; left--) {
      const answer = await wallet.send(method, path, { key, body, type }).catch(() => ({ status: 0 }))
      const isPassing = answer.status === 0 || answer.status === 429 || answer.status >= 500
      if (!isPassing || left === 0) return answer
      await pause(answer.wait ? 1000 * answer.wait : 60)
    }
  },
  async send(_, method, path, { key, body, type }) {
    const response = await fetch(env.PAYSIM_BASE_URL + path, {
      method,
      headers: {
        authorization: AUTHORIZATION,
        ...(body === undefined ? {} : { 'content-type': type }),
        ...(key ? { 'idempotency-key': key } : {}),
      },
      ...(body === undefined ? {} : { body }),
    })
    return {
      status: response.status,
      body: await response.json(),
      wait: Number(response.headers.get('retry-after') ?? 0),
    }
  },

  async ask(wallet, { reference, amount, method = 'th_promptpay' }) {
    if (!wallet.deposits[reference]) wallet.write({ type: 'asked', reference, amount })
    const body = JSON.stringify({
      amount,
      currency: 'THB',
      country: 'TH',
      checkout_mode: 'merchant',
      payment_method: method,
      merchant_reference: reference,
      customer: { name: 'Somchai Jaidee' },
    })
    const answer = await wallet.call('POST', '/payment_intents', { key: `ask-${reference}`, body })
    if (answer.status >= 300 || answer.status === 0) return [502, answer.body ?? {}]
    wallet.created(reference, answer.body)
    return [201, wallet.deposits[reference]]
  },
  created(wallet, reference, { id }) {
    wallet.write({ type: 'created', reference, payment: id })
  },
  async cancel(wallet, reference) {
    const { payment } = wallet.deposits[reference]
    const options = { key: `cancel-${reference}`, body: '{}' }
    const answer = await wallet.call('POST', `/payment_intents/${payment}/cancel-pending`, options)
    return answer.status > 0 && answer.status < 500 ? [202, {}] : [502, {}]
  },
  async sendSlip(wallet, reference) {
    const { payment, slips } = wallet.deposits[reference]
    const text = Buffer.from(
      `--slip\r\ncontent-disposition: form-data; name="file"; filename="slip.png"\r\ncontent-type: image/png\r\n\r\n`,
    )
    const body = Buffer.concat([text, SLIP, Buffer.from('\r\n--slip--\r\n')])
    const type = 'multipart/form-data; boundary=slip'
    const options = { key: wallet.slipKey(reference, slips), body, type }
    const answer = await wallet.call('POST', `/payment_intents/${payment}/receipt`, options)
    if (answer.status >= 300 || answer.status === 0) return [502, answer.body ?? {}]
    wallet.write({ type: 'slip', reference })
    return [202, {}]
  },
  slipKey: (_, reference, nth) => `slip-${reference}-${nth}`,

  isSigned(wallet, headers, body) {
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given = '' } = headers
    if (!(Math.abs(Date.now() / 1000 - Number(at)) < wallet.toleranceS())) return false
    const digest = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64')
    const wanted = Buffer.from(`v1,${digest}`)
    const isIt = one => one.length === wanted.length && timingSafeEqual(Buffer.from(one), wanted)
    return given.split(' ').some(isIt)
  },
  toleranceS: () => 300,
  webhook(wallet, headers, body) {
    if (!wallet.isSigned(headers, body)) return [401, {}]
    return wallet.take(JSON.parse(body))
  },
  find: (wallet, { data }) => wallet.deposits[data.merchant_reference],
  async take(wallet, event) {
    await wallet.inTurn(() => wallet.handle(event))
    return [200, {}]
  },
  /** One event after the other. */
  inTurn(wallet, work) {
    const done = wallet.last.then(work)
    wallet.last = done.catch(() => {})
    return done
  },
  async handle(wallet, event) {
    const deposit = wallet.find(event)
    if (deposit?.status !== 'pending') return
    const status = OUTCOMES[event.type.replace('payment.', '')]
    if (status) wallet.settle(deposit, status)
    else if (event.type === 'payment.updated') await wallet.updated(deposit, event.data)
  },
  settle(wallet, { reference }, status) {
    wallet.write({ type: 'settled', reference, status })
  },
  /** A rejected receipt is replaced once. */
  async updated(wallet, deposit, { receipt }) {
    if (receipt?.status === 'rejected' && deposit.slips === 1) await wallet.sendSlip(deposit.reference)
  },
  began() {},
}

const STYLES = {
  'transaction-log': {},
  /** Answers 202 once the event is in the log, and works later. */
  'durable-queue': {
    take(wallet, event) {
      wallet.write({ type: 'queued', event })
      return [202, {}]
    },
    began(wallet) {
      const work = async () => {
        for (;;) {
          const [event] = wallet.queue
          if (event) {
            await wallet.handle(event)
            wallet.write({ type: 'worked' })
          } else await pause(25)
        }
      }
      void work()
    },
  },
  /** An event only says that the payment changed: its state is read from the API. */
  're-fetching': {
    async handle(wallet, event) {
      const deposit = wallet.find(event)
      if (deposit?.status !== 'pending') return
      const answer = await wallet.call('GET', `/payment_intents/${event.data.id}`, {})
      if (answer.status !== 200) throw new Error(`the payment cannot be read: ${answer.status}`)
      const { status, failure_code: why } = answer.body
      const outcome = why === 'payment_cancelled' ? 'cancelled' : OUTCOMES[status]
      if (outcome) wallet.settle(deposit, outcome)
      else await wallet.updated(deposit, answer.body)
    },
  },
}

export function startWallet(parts = {}) {
  const wallet = { deposits: {}, queue: [], last: Promise.resolve(), memory: {} }
  const bound = given =>
    Object.fromEntries(
      Object.entries(given).map(([name, part]) => [name, (...args) => part(wallet, ...args)]),
    )
  wallet.usual = bound(PARTS)
  Object.assign(wallet, bound({ ...PARTS, ...parts }))
  wallet.load()
  const answer = (request, text) => {
    const [, kind, reference, verb] = request.url.split('/')
    const wanted = `${request.method} ${kind} ${verb ?? ''}`.trim()
    if (wanted === 'POST webhooks') return wallet.webhook(request.headers, text)
    if (wanted === 'POST deposits') return wallet.ask(JSON.parse(text))
    if (wanted === 'POST deposits cancel') return wallet.cancel(reference)
    if (wanted === 'POST deposits slip') return wallet.sendSlip(reference)
    if (wanted === 'GET balance') return [200, { balance: wallet.balance(reference) }]
    const deposit = wallet.deposits[reference]
    return deposit ? [200, deposit] : [404, {}]
  }
  createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    let [status, body] = [500, {}]
    try {
      ;[status, body] = await answer(request, Buffer.concat(chunks).toString('utf8'))
    } catch (error) {
      console.error(error)
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(env.PORT, '127.0.0.1')
  wallet.began()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) startWallet(STYLES[process.argv[2]])
