import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type AccountKeys, type Call, type Server, startServer } from '../gateway/server.ts'
import { cleanEnvironment } from './clean-environment.ts'
import { type Run, runCommand, startCommand } from './run-command.ts'

export interface RunOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}

/** A shop, and `paysim sim` with the given words for its simulator. */
export interface Shop {
  readonly id: string
  readonly keys: AccountKeys
  /** The merchant API. */
  readonly call: Call
  /** The control surface; paths are relative to the test account. */
  readonly control: Call
  sim(words: string | readonly string[], options?: RunOptions): Promise<Run>
  /** The same for a command that keeps running. */
  start(words: string | readonly string[]): ReturnType<typeof begin>
  /** A payment in merchant mode, by bank transfer by default. */
  pay(more?: Record<string, unknown>): Promise<Record<string, string>>
}

/** One simulator for a file, with a virtual clock and repeatable ids. */
export function driven() {
  let server: Server
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'paysim-sim-'))
    server = await startServer({ args: ['--clock', 'virtual', '--seed', '7'] })
  })
  afterAll(async () => {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
    await rm(home, { recursive: true, force: true })
  })
  return {
    server: () => server,
    home: () => home,
    /** Without any information about the simulator. */
    paysim: (words: string | readonly string[], options?: RunOptions) => paysim(words, home, options),
    async shop(settings: Record<string, unknown> = {}): Promise<Shop> {
      const merchant = await server.merchant({ clock: { mode: 'virtual' }, ...settings })
      const call = server.as(merchant.test)
      const env = {
        PAYSIM_CONTROL_URL: server.controlUrl,
        PAYSIM_CONTROL_TOKEN: server.controlToken,
        PAYSIM_ACCOUNT: `${merchant.id}.test`,
      }
      return {
        id: merchant.id,
        keys: merchant.test,
        call,
        control: (method, path, options) =>
          server.control(method, `/accounts/${merchant.id}.test${path}`, options),
        sim: (words, options = {}) =>
          paysim(['sim', ...wordsOf(words)], home, { ...options, env: { ...env, ...options.env } }),
        start: words => begin(['sim', ...wordsOf(words)], home, { env }),
        async pay(more = {}) {
          const made = await call('POST', '/payment_intents', { body: { ...TRANSFER, ...more } })
          if (made.status !== 201) throw new Error(`no payment: ${made.text}`)
          return made.body
        },
      }
    },
  }
}

const TRANSFER = {
  amount: '250001',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant',
  merchant_reference: 'สั่งซื้อ-1 🍜',
  customer: { name: 'Somchai Jaidee' },
  payment_method: 'th_bank_transfer',
  payment_method_options: { bank: 'bbl' },
}

const wordsOf = (words: string | readonly string[]) => (typeof words === 'string' ? words.split(' ') : words)

const paysim = (words: string | readonly string[], cwd: string, options: RunOptions = {}): Promise<Run> =>
  runCommand(wordsOf(words), settingsOf(cwd, options))

const begin = (words: readonly string[], cwd: string, options: RunOptions) =>
  startCommand(words, settingsOf(cwd, options))

const settingsOf = (cwd: string, { input = '', env = {} }: RunOptions) => ({
  cwd,
  input,
  env: { ...cleanEnvironment(cwd), TZ: 'Asia/Bangkok', ...env },
})
