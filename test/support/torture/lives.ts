import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import type { Chance } from '../fuzz/chance.ts'
import { Merchants, type MerchantWork } from './merchants.ts'
import { Orders } from './orders.ts'
import type { Tally } from './tally.ts'
import { type DiskPlan, endOf, startTortured, type TortureServer } from './torture-server.ts'
import { WebhookNotes } from './webhook-notes.ts'
import { webhooksOver } from './webhooks-over.ts'

const CLIENTS = 24
/** A life ends after this many steps, unless its plan ends it earlier. */
const MOST_STEPS = 200
const ACCOUNT = 'default.test'

/** How a life ends: after so many answers, or at a call that changes the disk. */
type End = { readonly answers: number } | DiskPlan

/** Work that is so short that a random kill rarely hits it. Some servers are killed during such work on purpose. */
export const AIMS = ['segment', 'creation', 'deletion', 'reset', 'import'] as const
/** How often such work is started if it always ended before the kill. */
const MOST_ATTEMPTS = 5

/** One data directory, the servers that run on it one after the other, and what their clients remember. */
export class Lives {
  #server: TortureServer
  readonly #orders: Orders
  readonly #merchants: Merchants

  private constructor(
    private readonly settings: { binary: string; dataDir: string; chance: Chance; tally: Tally },
    private readonly notes: WebhookNotes,
    webhooks: string,
    server: TortureServer,
  ) {
    const keys = server.accounts.find(({ id }) => id === ACCOUNT)
    if (!keys) throw new Error(`no ${ACCOUNT}`)
    this.#server = server
    this.#orders = new Orders(ACCOUNT, keys)
    this.#merchants = new Merchants(`${webhooks}/others`)
  }

  static async begin(binary: string, chance: Chance, tally: Tally): Promise<Lives> {
    const dataDir = await mkdtemp(join(tmpdir(), 'paysim-torture-'))
    const { server } = await startTortured({ binary, dataDir })
    if (!server) throw new Error('it ended without a plan')
    const notes = new WebhookNotes()
    const webhooks = await notes.open()
    const path = `/accounts/${ACCOUNT}/webhook-endpoints`
    const made = await server.control('POST', path, { url: `${webhooks}/orders` })
    if (made?.status !== 201) throw new Error(`no endpoint: ${made?.text}`)
    notes.secrets.set('/orders', made.body.secret)
    return new Lives({ binary, dataDir, chance, tally }, notes, webhooks, server)
  }

  /** Runs a server under load until it ends, and checks that the next one knows everything that was answered. */
  async live(): Promise<void> {
    const { chance, tally } = this.settings
    const server = this.#server
    const aim = chance.is(0.5) ? chance.of(AIMS) : undefined
    if (aim === undefined || aim === 'segment') await this.#work(aim)
    else await this.#endIn(aim)
    await server.kill()
    tally.add(`kills: ${this.#momentOf(server.stderr(), aim)}`)
    tally.add('kills')
    await this.#startAgain()
  }

  /** Many clients, until the server ends. */
  async #work(aim: 'segment' | undefined): Promise<void> {
    const { chance } = this.settings
    const server = this.#server
    const who = aim ? 'orders' : chance.of(['orders', 'merchants', 'both'])
    const end = aim ? aSwitch(chance) : this.#anEnd(who === 'merchants' ? 80 : 250)
    if ('nth' in end) await server.plan(end)
    let steps = 0
    let answers = 0
    const client = async (step: () => Promise<unknown>) => {
      while (!server.hasEnded() && steps++ < MOST_STEPS) {
        await step()
        if ('answers' in end && ++answers >= end.answers) await server.kill()
      }
    }
    const orders = who === 'merchants' ? [] : Array.from({ length: CLIENTS }, () => this.#orders)
    await Promise.all([
      ...orders.map(list => client(() => list.step(server, chance))),
      ...(who === 'orders' ? [] : [client(() => this.#merchants.step(server, chance))]),
    ])
  }

  /** One client, and an end at any of the calls that such a change makes. */
  async #endIn(work: MerchantWork): Promise<void> {
    const { chance } = this.settings
    const server = this.#server
    for (let nth = 0; nth < 3; nth++) await this.#merchants.step(server, chance)
    await this.#merchants.do('creation', server, chance)
    await server.plan(null)
    await this.#merchants.do(work, server, chance)
    const calls = await server.plan(null)
    // The deletion may have removed the last merchant.
    await this.#merchants.do('creation', server, chance)
    await server.plan({ nth: 1 + chance.below(Math.max(1, calls)), then: anyEnd(chance) })
    for (let tries = 0; tries < MOST_ATTEMPTS && !server.hasEnded(); tries++)
      if (!(await this.#merchants.do(work, server, chance))) return
  }

  #anEnd(calls: number): End {
    const { chance } = this.settings
    if (chance.is(0.4)) return { answers: 1 + chance.below(MOST_STEPS / 2) }
    return { nth: 1 + chance.below(calls), then: anyEnd(chance) }
  }

  /** Some starts are killed too. */
  async #startAgain(): Promise<void> {
    const { binary, dataDir, chance, tally } = this.settings
    for (;;) {
      const then = chance.of(['end before', 'end after'] as const)
      const plan = chance.is(0.25) ? { nth: 1 + chance.below(25), then } : undefined
      const { server, stderr } = await startTortured({ binary, dataDir, plan })
      if (server) {
        if (plan) await server.plan(null)
        if (!server.hasEnded()) {
          this.#server = server
          break
        }
      }
      tally.add('kills')
      tally.add('kills: start')
      if (endOf(server?.stderr() ?? stderr) === undefined) throw new Error(`a start ended:\n${stderr}`)
    }
    await this.check()
  }

  async check(): Promise<void> {
    const { chance } = this.settings
    await this.#orders.check(this.#server, chance)
    await this.#merchants.check(this.#server)
    if (this.notes.wrong.length > 0) throw new Error(this.notes.wrong.join('\n'))
    if (/^ {4}at /m.test(this.#server.stderr())) throw new Error(this.#server.stderr())
  }

  /** The moment of a kill: the work that it was aimed at, or the file that was in use, or the work of the operator. */
  #momentOf(stderr: string, aim: string | undefined): string {
    const at = endOf(stderr)
    if (at !== undefined && aim !== undefined) return aim
    const moments: [string, RegExp][] = [
      ['checkpoint', /past-\d+\/(layer|checkpoint)/],
      ['segment', /past-\d+\/journal/],
      ['upload', /images/],
    ]
    const moment = moments.find(([, file]) => file.test(at ?? ''))?.[0] ?? this.#merchants.work ?? 'load'
    return moment === 'payment' ? 'load' : moment
  }

  /** Waits until no webhook is in progress, and checks that each success had its webhook. */
  async end(): Promise<void> {
    const { tally } = this.settings
    await webhooksOver(this.#server, ACCOUNT)
    await this.check()
    const told = new Set([...this.notes.bodies.values()].map(body => JSON.parse(body).data.id))
    const silent = this.#orders.succeeded.filter(id => !told.has(id))
    if (silent.length > 0) throw new Error(`no webhook ever told of ${silent}`)
    const code = await this.#server.stop()
    if (code !== 0) throw new Error(`a clean stop gave exit code ${code}:\n${this.#server.stderr()}`)
    const { dataDir, binary } = this.settings
    const { exitCode, stdout, stderr } = await execa(
      process.execPath,
      [binary, 'store', 'check', `file:${dataDir}`, '-o', 'json'],
      { reject: false },
    )
    if (exitCode !== 0) throw new Error(`the store is not consistent: ${stdout}${stderr}`)
    tally.add('answered payments', this.#orders.answered)
    tally.add('changes of merchants', this.#merchants.changes)
    tally.add('deliveries', this.notes.deliveries)
  }

  async discard(): Promise<void> {
    await this.#server.kill()
    this.notes.close()
    await rm(this.settings.dataDir, { recursive: true, force: true })
  }
}

const anyEnd = (chance: Chance) => chance.of(['end before', 'end after', 'end halfway'] as const)

/** In the calls that make a segment of the open file, and start another one. */
const aSwitch = (chance: Chance): DiskPlan => ({
  from: '/journal-',
  nth: 1 + chance.below(12),
  then: anyEnd(chance),
})
