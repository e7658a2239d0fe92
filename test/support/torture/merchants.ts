import type { Chance } from '../fuzz/chance.ts'
import { archiveOf } from '../gateway/archive.ts'
import type { Json } from '../gateway/merchant.ts'
import { paymentBody } from '../payments/payments.ts'
import type { Keys, Reply, TortureServer } from './torture-server.ts'

/** The content of an account. */
interface Content {
  readonly payments: number
  readonly payouts: number
  readonly endpoints: number
}

interface Merchant {
  readonly id: string
  /** Whether the list must name it; undefined if a change had no answer. */
  there: boolean | undefined
  keys?: Keys
  /** What its test account may hold: more than one possibility after a change without an answer. */
  may: Content[]
}

const FRESH: Content = { payments: 0, payouts: 0, endpoints: 1 }

export type MerchantWork = 'creation' | 'deletion' | 'reset' | 'import' | 'payment'

/** A refusal says that nothing was changed, unless the server cannot know. */
export const isInDoubt = ({ text }: Reply) => !text.includes('nothing was changed')

/** Creates and removes merchants, and remembers them. Only contests for an id have parallel changes. */
export class Merchants {
  readonly #merchants: Merchant[] = []
  /** The current request, to name the moment of a kill. */
  work: MerchantWork | undefined
  changes = 0
  /** Changes that were refused because the disk failed. */
  refused = 0
  /** Changes of which the server could not say whether they will be kept. */
  inDoubt = 0

  constructor(private readonly webhooks: string) {}

  /** One change, and its answer. */
  async step(server: TortureServer, chance: Chance): Promise<Reply | undefined> {
    const there = this.#merchants.filter(merchant => merchant.there).length
    const what = chance.next()
    if (there < 2 || (what < 0.25 && there < 5)) return this.do('creation', server, chance)
    if (what < 0.45) return this.do('deletion', server, chance)
    if (what < 0.6) return this.do('reset', server, chance)
    if (what < 0.75) return this.do('import', server, chance)
    return this.do('payment', server, chance)
  }

  /** One change of a kind. Without a merchant, that is a creation. */
  async do(work: MerchantWork, server: TortureServer, chance: Chance): Promise<Reply | undefined> {
    this.changes++
    const there = this.#merchants.filter(merchant => merchant.there)
    try {
      if (work === 'creation' || there.length === 0) return await this.#create(server, chance)
      const merchant = chance.of(there)
      if (work === 'deletion') return await this.#remove(server, merchant)
      if (work === 'reset') return await this.#reset(server, merchant)
      if (work === 'import') return await this.#adopt(server, merchant, 1 + chance.below(200))
      return await this.#pay(server, merchant)
    } finally {
      if (!server.hasEnded()) this.work = undefined
    }
  }

  /** Several clients request one id, and only one gets it. */
  async #create(server: TortureServer, chance: Chance): Promise<Reply | undefined> {
    this.work = 'creation'
    // An id that was free before may be used again.
    const free = this.#merchants.find(({ there }) => there === false)
    const merchant: Merchant =
      free && chance.is(0.3) ? free : { id: `shop-${this.#merchants.length}`, there: undefined, may: [] }
    if (merchant !== free) this.#merchants.push(merchant)
    merchant.there = undefined
    merchant.may = [FRESH]
    delete merchant.keys
    const body = { id: merchant.id, clock: { mode: 'virtual' }, webhooks: [{ url: this.webhooks }] }
    const contest = Array.from({ length: chance.is(0.3) ? 3 : 1 }, () =>
      server.control('POST', '/merchants', body),
    )
    const replies = await Promise.all(contest)
    const won = replies.filter(reply => reply?.status === 201)
    if (won.length > 1) throw new Error(`${merchant.id} was created ${won.length} times`)
    const refused = replies.find(reply => reply?.status === 503)
    const odd = replies.find(reply => reply && ![201, 422, 503].includes(reply.status))
    if (odd) throw new Error(`${merchant.id} was answered ${odd.status} ${odd.text}`)
    if (won[0]) {
      merchant.there = true
      merchant.keys = won[0].body.accounts.find(({ environment }: Json) => environment === 'test')
    } else if (refused && !replies.includes(undefined)) {
      if (!isInDoubt(refused)) merchant.there = false
      this.#isDone(refused, merchant.id)
    } else if (!replies.includes(undefined)) throw new Error(`nobody got ${merchant.id}`)
    return replies.includes(undefined) ? undefined : (won[0] ?? refused)
  }

  async #remove(server: TortureServer, merchant: Merchant): Promise<Reply | undefined> {
    this.work = 'deletion'
    merchant.there = undefined
    const reply = await server.control('DELETE', `/merchants/${merchant.id}`)
    if (!reply) return undefined
    if (this.#isDone(reply, `the deletion of ${merchant.id}`)) merchant.there = false
    else if (!isInDoubt(reply)) merchant.there = true
    return reply
  }

  async #reset(server: TortureServer, merchant: Merchant): Promise<Reply | undefined> {
    this.work = 'reset'
    return this.#change(merchant, FRESH, () => server.control('POST', `/accounts/${merchant.id}.test/reset`))
  }

  async #adopt(server: TortureServer, merchant: Merchant, payouts: number): Promise<Reply | undefined> {
    this.work = 'import'
    const after = { payments: 0, payouts, endpoints: 0 }
    return this.#change(merchant, after, () =>
      server.control('PUT', `/accounts/${merchant.id}.test/import`, archiveOf(payouts)),
    )
  }

  async #pay(server: TortureServer, merchant: Merchant): Promise<Reply | undefined> {
    this.work = 'payment'
    const { keys } = merchant
    const [before] = merchant.may
    if (!keys || !before) throw new Error(`${merchant.id} has no keys`)
    return this.#change(merchant, { ...before, payments: before.payments + 1 }, () =>
      server.call(keys, 'POST', '/payment_intents', { body: paymentBody() }),
    )
  }

  async #change(
    merchant: Merchant,
    after: Content,
    act: () => Promise<Reply | undefined>,
  ): Promise<Reply | undefined> {
    const before = merchant.may
    merchant.may = [...before, after]
    const reply = await act()
    if (!reply) return undefined
    if (this.#isDone(reply, `${this.work} of ${merchant.id}`)) merchant.may = [after]
    else if (!isInDoubt(reply)) merchant.may = before
    return reply
  }

  #isDone(reply: Reply, what: string): boolean {
    const { status, text } = reply
    if (status >= 200 && status < 300) return true
    if (status === 503) {
      this.refused++
      if (isInDoubt(reply)) this.inDoubt++
      return false
    }
    throw new Error(`${what} was answered ${status} ${text}`)
  }

  /** Compares everything with the server, and finds out which changes without an answer were made. */
  async check(server: TortureServer): Promise<void> {
    const listed = await server.control('GET', '/merchants')
    if (listed?.status !== 200) throw new Error(`no list of merchants: ${listed?.status} ${listed?.text}`)
    const found = new Map<string, Json>(listed.body.data.map((merchant: Json) => [merchant.id, merchant]))
    found.delete('default')
    for (const merchant of this.#merchants) {
      const { id, there } = merchant
      const shown = found.get(id)
      found.delete(id)
      if (there !== undefined && there !== (shown !== undefined))
        throw new Error(
          there ? `${id} was answered, and is lost` : `${id} is there, and was removed or refused`,
        )
      merchant.there = shown !== undefined
      if (!shown) continue
      const keys = shown.accounts.find(({ environment }: Json) => environment === 'test')
      if (merchant.keys && merchant.keys.secret_key !== keys.secret_key)
        throw new Error(`${id} has other keys`)
      merchant.keys = keys
      merchant.may = [await this.#contentOf(server, merchant)]
    }
    if (found.size > 0) throw new Error(`nobody asked for ${[...found.keys()]}`)
  }

  async #contentOf(server: TortureServer, { id, may }: Merchant): Promise<Content> {
    const count = async (account: string, list: string) => {
      const reply = await server.control('GET', `/accounts/${id}.${account}/${list}`)
      if (reply?.status !== 200) throw new Error(`${id}.${account}/${list}: ${reply?.status} ${reply?.text}`)
      return reply.body.data.length as number
    }
    const [payments, payouts, endpoints, live] = await Promise.all([
      count('test', 'payments'),
      count('test', 'payouts'),
      count('test', 'webhook-endpoints'),
      count('live', 'webhook-endpoints'),
    ])
    if (live !== 1) throw new Error(`${id}.live has ${live} endpoints`)
    const now = { payments, payouts, endpoints }
    if (!may.some(content => JSON.stringify(content) === JSON.stringify(now)))
      throw new Error(`${id}.test has ${JSON.stringify(now)}, and may have ${JSON.stringify(may)}`)
    return now
  }
}
