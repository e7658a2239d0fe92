import type { Chance } from '../fuzz/chance.ts'
import type { Json } from '../gateway/merchant.ts'
import { pngImage } from '../payments/images.ts'
import { paymentBody } from '../payments/payments.ts'
import { isInDoubt } from './merchants.ts'
import type { Caller, Keys, Reply } from './torture-server.ts'

/** A change: not requested (or refused), requested without an answer, or answered. */
type Asked = 'no' | 'asked' | 'done'
/** How a payment is paid: with a QR code, by a transfer with a receipt, or on the page of the gateway. */
type Kind = 'qr' | 'transfer' | 'page'

interface Order {
  readonly reference: string
  readonly kind: Kind
  /** Whether an attempt to create it had no answer. Otherwise a refused one must be absent. */
  doubtful: boolean
  /** The text of the first answer. */
  answer?: string
  id?: string
  success: Asked
  receipt: Asked
}

const FIELDS: Record<Kind, Record<string, unknown>> = {
  qr: {},
  transfer: {
    payment_method: 'th_bank_transfer',
    payment_method_options: { bank: 'bbl' },
    customer: { name: 'Ada Lovelace' },
  },
  page: { checkout_mode: 'hosted', payment_method: undefined },
}

/** Pages of a restarted server may have another port. */
const withoutPort = (text: string) => text.replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')

const VOLATILE = new Set(['status', 'processing_reason', 'next_action', 'updated_at', 'receipt'])

/** The payments of one account, as a merchant remembers them: what was answered, and what was only requested. */
export class Orders {
  readonly #orders: Order[] = []
  /** Whether the store fails now, so that a refusal with 503 is correct. */
  mayRefuse = false
  refused = 0

  constructor(
    private readonly account: string,
    private readonly keys: Keys,
  ) {}

  get count(): number {
    return this.#orders.length
  }

  get answered(): number {
    return this.#orders.filter(({ answer }) => answer !== undefined).length
  }

  /** One step of one client. Returns false when the server gave no answer. */
  async step(server: Caller, chance: Chance): Promise<boolean> {
    const what = chance.next()
    const known = this.#orders.length > 0 ? chance.of(this.#orders) : undefined
    if (known && what < 0.1) return (await this.#create(server, known)) !== undefined
    if (known?.id && what < 0.2) return this.#read(server, known)
    const order = this.#newOrder(chance.of(['qr', 'qr', 'transfer', 'page', 'page']))
    // Two clients with the same key at once: one payment.
    const twins = chance.is(0.05) ? [this.#create(server, order)] : []
    const [made] = await Promise.all([this.#create(server, order), ...twins])
    if (!made) return false
    if (order.id === undefined) return true
    if (order.kind === 'transfer') return this.#upload(server, order)
    // About every third payment.
    return order.kind === 'qr' && chance.is(0.8) ? this.#succeed(server, order) : true
  }

  #newOrder(kind: Kind): Order {
    const reference = `order-${this.#orders.length}`
    const order: Order = { reference, kind, doubtful: false, success: 'no', receipt: 'no' }
    this.#orders.push(order)
    return order
  }

  async #create(server: Caller, order: Order): Promise<Reply | undefined> {
    const { reference, kind } = order
    const body = paymentBody({ merchant_reference: reference, ...FIELDS[kind] })
    const headers = { 'idempotency-key': reference }
    const reply = await server.call(this.keys, 'POST', '/payment_intents', { headers, body })
    if (!reply) {
      order.doubtful = true
      return undefined
    }
    if (!this.#isDone(reply, 201, reference)) {
      if (isInDoubt(reply)) order.doubtful = true
      return reply
    }
    const text = withoutPort(reply.text)
    if (order.answer !== undefined && order.answer !== text)
      throw new Error(`${reference} had another answer:\n${order.answer}\n${text}`)
    if (order.answer !== undefined && order.id !== reply.body.id)
      throw new Error(`${reference} has two ids: ${order.id}, ${reply.body.id}`)
    order.answer = text
    order.id = reply.body.id
    return reply
  }

  #isDone({ status, text }: Reply, success: number, what: string): boolean {
    if (status === success) return true
    if (status !== 503 || !this.mayRefuse) throw new Error(`${what} was answered ${status} ${text}`)
    this.refused++
    return false
  }

  async #read(server: Caller, order: Order): Promise<boolean> {
    const before = { ...order }
    const reply = await server.call(this.keys, 'GET', `/payment_intents/${order.id}`)
    if (!reply) return false
    if (reply.status === 503 && this.mayRefuse) return true
    if (reply.status !== 200)
      throw new Error(`${order.reference} is not there: ${reply.status} ${reply.text}`)
    this.#compare(before, reply.body, order.success !== before.success)
    return true
  }

  async #succeed(server: Caller, order: Order): Promise<boolean> {
    const before = order.success
    order.success = 'asked'
    const reply = await server.control('POST', `/accounts/${this.account}/payments/${order.id}/succeed`, {})
    if (!reply) return false
    if (this.#isDone(reply, 200, `the success of ${order.reference}`)) order.success = 'done'
    else if (!isInDoubt(reply)) order.success = before
    return true
  }

  async #upload(server: Caller, order: Order): Promise<boolean> {
    const before = order.receipt
    order.receipt = 'asked'
    const boundary = 'torture'
    const bytes = Buffer.concat([
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
      ),
      pngImage(this.#orders.indexOf(order)),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'idempotency-key': `receipt of ${order.reference}`,
    }
    const path = `/payment_intents/${order.id}/receipt`
    const reply = await server.call(this.keys, 'POST', path, { headers, bytes })
    if (!reply) return false
    if (this.#isDone(reply, 200, `the receipt of ${order.reference}`)) order.receipt = 'done'
    else if (!isInDoubt(reply)) order.receipt = before
    return true
  }

  /** Checks what a restarted server must know, and what it may know. Then repeats the requests that had no answer. */
  async check(server: Caller, chance: Chance): Promise<void> {
    const listed = await server.control('GET', `/accounts/${this.account}/payments`)
    if (listed?.status !== 200) throw new Error(`no list of payments: ${listed?.status} ${listed?.text}`)
    const found = new Map<string, Json>()
    for (const payment of listed.body.data) {
      const { merchant_reference: reference } = payment
      if (found.has(reference)) throw new Error(`${reference} is there twice`)
      found.set(reference, payment)
    }
    for (const order of this.#orders) {
      const payment = found.get(order.reference)
      found.delete(order.reference)
      if (payment && order.answer === undefined && !order.doubtful)
        throw new Error(`${order.reference} was refused, and is there`)
      if (payment) this.#compare(order, payment)
      else if (order.answer !== undefined) throw new Error(`${order.reference} was answered, and is lost`)
    }
    if (found.size > 0) throw new Error(`nobody asked for ${[...found.keys()]}`)
    const unanswered = this.#orders.filter(({ answer }) => answer === undefined)
    const some = this.#orders.filter(() => chance.is(10 / this.#orders.length))
    await Promise.all([...unanswered, ...some].map(order => this.#create(server, order)))
    const halfDone = this.#orders.filter(order => order.receipt === 'asked' && order.id !== undefined)
    await Promise.all(halfDone.map(order => this.#upload(server, order)))
    for (const order of some) await this.#read(server, order)
  }

  #compare(order: Order, payment: Json, isMoving = false): void {
    const { reference, success } = order
    const wrong = (why: string) => new Error(`${reference} ${why}: ${JSON.stringify(payment)}`)
    const mayBe = success === 'done' && !isMoving ? ['succeeded'] : ['pending', 'succeeded']
    if (success === 'no' && !isMoving && order.kind !== 'transfer') mayBe.pop()
    if (!mayBe.includes(payment.status)) throw wrong(`should be ${mayBe.join(' or ')}`)
    // A client had the answer; a transfer succeeds automatically after its receipt.
    if (order.id !== undefined && payment.id !== order.id) throw wrong(`is not ${order.id}`)
    if (
      order.receipt === 'done' &&
      payment.status === 'pending' &&
      payment.next_action.receipt_status === 'required'
    )
      throw wrong('has lost its receipt')
    if (order.answer === undefined) return
    for (const [name, value] of Object.entries(JSON.parse(order.answer)))
      if (!VOLATILE.has(name) && JSON.stringify(payment[name]) !== JSON.stringify(value))
        throw wrong(`has another ${name} than ${JSON.stringify(value)}`)
  }

  /** The payments whose success was answered. */
  get succeeded(): readonly string[] {
    return this.#orders.flatMap(({ success, id }) => (success === 'done' && id !== undefined ? id : []))
  }
}
