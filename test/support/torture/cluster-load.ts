import type { Chance } from '../fuzz/chance.ts'
import { Orders } from './orders.ts'
import type { TortureCluster } from './torture-cluster.ts'
import type { Caller, Reply } from './torture-server.ts'
import { WebhookNotes } from './webhook-notes.ts'
import { STILL_MS, webhooksOver } from './webhooks-over.ts'

const CLIENTS = 8
const ACCOUNTS = ['default.test', 'one.test', 'two.test', 'three.test']

/** The clients of a cluster, and what they remember of the answers. */
export class ClusterLoad {
  #isOver = false
  #failure: unknown
  #clients: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly cluster: TortureCluster,
    private readonly chance: Chance,
    private readonly notes: WebhookNotes,
    private readonly orders: ReadonlyMap<string, Orders>,
  ) {}

  static async begin(cluster: TortureCluster, chance: Chance): Promise<ClusterLoad> {
    const notes = new WebhookNotes()
    const webhooks = await notes.open()
    const orders = new Map<string, Orders>()
    for (const account of ACCOUNTS) {
      const [id] = account.split('.')
      if (id !== 'default') await demand(cluster.control('POST', '/merchants', { id }), 201)
      const { body: merchant } = await demand(cluster.control('GET', `/merchants/${id}`), 200)
      const keys = merchant.accounts.find(({ id }: { id: string }) => id === account)
      const path = `/accounts/${account}/webhook-endpoints`
      const { body: endpoint } = await demand(
        cluster.control('POST', path, { url: `${webhooks}/${id}` }),
        201,
      )
      notes.secrets.set(`/${id}`, endpoint.secret)
      orders.set(account, new Orders(account, keys))
    }
    const load = new ClusterLoad(cluster, chance, notes, orders)
    for (const list of orders.values()) list.mayRefuse = true
    load.#clients = Promise.all(Array.from({ length: CLIENTS }, () => load.#client()))
    return load
  }

  async #client(): Promise<void> {
    try {
      while (!this.#isOver) {
        await this.chance.of([...this.orders.values()]).step(this.cluster, this.chance)
      }
    } catch (cause) {
      this.#isOver = true
      this.#failure ??= cause
    }
  }

  get answered(): number {
    return this.#sum(({ answered }) => answered)
  }

  get refused(): number {
    return this.#sum(({ refused }) => refused)
  }

  get deliveries(): number {
    return this.notes.deliveries
  }

  #sum(of: (orders: Orders) => number): number {
    return [...this.orders.values()].reduce((sum, orders) => sum + of(orders), 0)
  }

  /** Resolves when each account has answered something new. */
  async moved(): Promise<void> {
    const before = new Map([...this.orders].map(([account, { answered }]) => [account, answered]))
    const until = performance.now() + STILL_MS
    for (;;) {
      if (this.#failure) throw this.#failure
      const still = ACCOUNTS.filter(
        name => (this.orders.get(name)?.answered ?? 0) < (before.get(name) ?? 0) + 2,
      )
      if (still.length === 0) return
      if (performance.now() > until) throw new Error(`nobody answers for ${still}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  /** Checks that everything that was answered exists, and that each success had its webhook. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#clients
    if (this.#failure) throw this.#failure
    const caller = patient(this.cluster)
    for (const [account, orders] of this.orders) {
      orders.mayRefuse = false
      await orders.check(caller, this.chance)
      await webhooksOver(caller, account)
      await orders.check(caller, this.chance)
    }
    if (this.notes.wrong.length > 0) throw new Error(this.notes.wrong.join('\n'))
    const told = new Set([...this.notes.bodies.values()].map(body => JSON.parse(body).data.id))
    for (const orders of this.orders.values()) {
      const silent = orders.succeeded.filter(id => !told.has(id))
      if (silent.length > 0) throw new Error(`no webhook ever told of ${silent}`)
    }
  }

  close(): void {
    this.#isOver = true
    this.notes.close()
  }
}

/** Repeats a call that nobody could answer. All of its calls are safe to repeat. */
function patient(caller: Caller): Caller {
  const again = async (ask: () => Promise<Reply | undefined>) => {
    const until = performance.now() + STILL_MS
    for (;;) {
      const reply = await ask()
      if ((reply && reply.status !== 503) || performance.now() > until) return reply
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  return {
    call: (...args) => again(() => caller.call(...args)),
    control: (...args) => again(() => caller.control(...args)),
  }
}

async function demand(asked: Promise<Reply | undefined>, status: number): Promise<Reply> {
  const reply = await asked
  if (reply?.status !== status) throw new Error(`not ${status}, but ${reply?.status} ${reply?.text}`)
  return reply
}
