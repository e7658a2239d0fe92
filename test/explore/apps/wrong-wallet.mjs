// Wrong wallets, each with one bug: `node wrong-wallet.mjs BUG`. `planted.json` says which kind must find it.
import { setTimeout as pause } from 'node:timers/promises'
import { startWallet } from './wallet.mjs'

const ENDS = { succeeded: 'credited', failed: 'failed', expired: 'expired', cancelled: 'cancelled' }
const endOf = ({ type }) => ENDS[type.replace('payment.', '')]
const read = async (wallet, event) => {
  const { status } = await wallet.send('GET', `/payment_intents/${event.data.id}`, {})
  if (status !== 200) throw new Error(`the payment cannot be read: ${status}`)
}

const BUGS = {
  /** Reads the payment between its check and its change, and does not lock the deposit. */
  'credits-twice-at-once': {
    inTurn: (_, work) => work(),
    async handle(wallet, event) {
      const deposit = wallet.find(event)
      if (!deposit || (wallet.memory[event.id] ?? deposit.status) !== 'pending') return
      await read(wallet, event)
      if (endOf(event) === 'credited') deposit.amount = String(wallet.paid(deposit))
      if (endOf(event)) wallet.settle(deposit, endOf(event))
      else await wallet.updated(deposit, event.data)
    },
    paid: (_, { amount, status }) => (status === 'credited' ? 2 * amount : amount),
  },
  'verifies-what-it-wrote-again': {
    isSigned: (wallet, headers, body) => wallet.usual.isSigned(headers, JSON.stringify(JSON.parse(body))),
  },
  'answers-before-it-stores': {
    take(wallet, event) {
      setTimeout(() => void wallet.usual.take(event), 120)
      return [200, {}]
    },
  },
  'queues-in-memory': {
    take(wallet, event) {
      wallet.queue.push(event)
      return [202, {}]
    },
    began(wallet) {
      const work = async () => {
        for (;;) {
          await pause(120)
          for (const event of wallet.queue.splice(0)) await wallet.handle(event)
        }
      }
      void work()
    },
  },
  'asks-again-as-another': {
    async ask(wallet, wanted) {
      const [status, body] = await wallet.usual.ask(wanted)
      if (status === 201) return [status, body]
      const reference = `${wanted.reference}-again`
      await wallet.usual.ask({ ...wanted, reference })
      return [201, wallet.deposits[reference]]
    },
    async call(wallet, method, path, options) {
      if (path !== '/payment_intents') return wallet.usual.call(method, path, options)
      const again = answer => answer.status === 429 || answer.status === 503
      const answer = await wallet
        .send(method, path, { type: 'application/json', ...options })
        .catch(() => ({ status: 0 }))
      return again(answer) ? wallet.usual.call(method, path, options) : answer
    },
  },
  'takes-the-rest-for-failure': {
    async handle(wallet, event) {
      const deposit = wallet.find(event)
      if (deposit?.status !== 'pending') return
      if (event.type === 'payment.updated') return wallet.updated(deposit, event.data)
      wallet.settle(deposit, endOf(event) ?? 'failed')
    },
  },
  'finds-by-amount': {
    find: (wallet, { type, data }) =>
      Object.values(wallet.deposits).find(
        ({ amount, status, reference }) =>
          amount === data.amount &&
          (status === 'pending' || type === 'payment.updated') &&
          reference.slice(0, -2) === data.merchant_reference.slice(0, -2),
      ),
  },
  'believes-the-last-body': {
    async handle(wallet, event) {
      const deposit = wallet.find(event)
      if (!deposit) return
      if (event.type === 'payment.updated') await wallet.updated(deposit, event.data)
      wallet.settle(deposit, endOf(event) ?? 'pending')
    },
  },
  /** Polls while the gateway answers. */
  'stops-polling-at-an-error': {
    take: () => [200, {}],
    async look(wallet, { reference, payment }) {
      const answer = await wallet.send('GET', `/payment_intents/${payment}`, {})
      if (answer.status !== 200) throw new Error(`the payment cannot be read: ${answer.status}`)
      const deposit = wallet.deposits[reference]
      const { status, failure_code: why } = answer.body
      const end = why === 'payment_cancelled' ? 'cancelled' : ENDS[status]
      if (end) wallet.settle(deposit, end)
      else await wallet.updated(deposit, answer.body)
    },
    began(wallet) {
      const poll = async () => {
        for (;;) {
          for (const deposit of Object.values(wallet.deposits))
            if (deposit.status === 'pending' && deposit.payment) await wallet.look(deposit)
          await pause(40)
        }
      }
      poll().catch(console.error)
    },
  },
  'keeps-its-index-in-memory': {
    created(wallet, reference, payment) {
      wallet.memory[payment.id] = reference
      wallet.usual.created(reference, payment)
    },
    find: (wallet, { data }) =>
      wallet.deposits[wallet.memory[data.id] ?? (wallet.memory.started ? '' : data.merchant_reference)],
    began(wallet) {
      wallet.memory.started = true
    },
  },
  'sends-a-slip-at-each-rejection': {
    async updated(wallet, deposit, { receipt }) {
      if (receipt?.status === 'rejected') await wallet.sendSlip(deposit.reference)
    },
    async sendSlip(wallet, reference) {
      const sent = await wallet.usual.sendSlip(reference)
      if (sent[0] !== 202) wallet.write({ type: 'slip', reference })
      return sent
    },
  },
  /** Writes the answer of its call over what a webhook had told it already. */
  'overwrites-what-came-early': {
    created(wallet, reference, { id }) {
      wallet.write({ type: 'created', reference, payment: id, status: 'pending' })
    },
  },
  'marks-before-it-works': {
    async handle(wallet, event) {
      if (wallet.memory[event.id]) return
      wallet.memory[event.id] = true
      await read(wallet, event)
      return wallet.usual.handle(event)
    },
  },
  'looks-at-the-form-of-a-signature': {
    isSigned: (_, headers) => /^v1,[0-9A-Za-z+/=]{44}$/.test(headers['webhook-signature'] ?? ''),
    toleranceS: () => Number.POSITIVE_INFINITY,
  },
  'counts-hours-for-seconds': { toleranceS: () => 300 * 3600 },
  'does-not-repeat-a-cancellation': {
    async cancel(wallet, reference) {
      const { payment } = wallet.deposits[reference]
      const options = { key: `cancel-${reference}`, body: '{}', type: 'application/json' }
      await wallet.send('POST', `/payment_intents/${payment}/cancel-pending`, options).catch(console.error)
      return [202, {}]
    },
  },
  'writes-every-member': {
    created(wallet, reference, payment) {
      const columns =
        'id object amount currency country checkout_mode environment merchant_reference payment_method status processing_reason next_action receipt failure_code failure_message created_at updated_at expires_at'
      for (const name of Object.keys(payment))
        if (!columns.split(' ').includes(name)) throw new Error(`no such column: ${name}`)
      wallet.usual.created(reference, payment)
    },
  },
}

startWallet(BUGS[process.argv[2]])
