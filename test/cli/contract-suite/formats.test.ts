import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readLines, readTable } from '../../support/cli/formats.ts'
import { by } from '../../support/cli/orders.ts'
import type { Body, Shop } from '../../support/cli/shop.ts'
import { inEachWorld, type World } from '../../support/cli/worlds.ts'
import { png } from '../../support/payments/receipt-images.ts'

/** A command that is about to be run, and what it must come to. */
interface Task {
  readonly args: readonly string[]
  /** Where the server tells the same, read afterwards; with what the command answered, where it made something. */
  readonly path: (answer: Body) => string
}

interface Kind {
  readonly prepare: (shop: Shop, world: World) => Promise<Task>
  /** What is a line each of jsonl and of csv. */
  readonly rows?: (body: Body) => Body[]
  /** Some of what a person must be shown. */
  readonly shown: readonly RegExp[]
}

const DISCOVERY = 'amount=15000&country=TH&currency=THB&checkout_mode=merchant'
const payment = ({ id }: Body) => `/payment_intents/${id}`
const OF_A_PAYMENT = [/pi_\w+/, /150\.00 THB/, /order-1/]

async function paid(shop: Shop): Promise<string> {
  const { id } = await shop.pay('probe_transfer')
  await shop.control('POST', `/payments/${id}/succeed`, { body: {} })
  return id
}

async function somePayouts(shop: Shop): Promise<void> {
  for (const reference of ['refund-1', 'คืนเงิน, "สอง" 🧾', '=cmd()']) await shop.payout(reference)
}

const COMMANDS: Readonly<Record<string, Kind>> = {
  'methods list': {
    prepare: async () => ({
      args: ['--amount', '15000', '--country', 'TH', '--currency', 'THB', '--checkout-mode', 'merchant'],
      path: () => `/payment_methods/options?${DISCOVERY}`,
    }),
    rows: body => body.methods,
    shown: [/probe_banks/, /The probe/, /gamma/],
  },
  'payments create': {
    prepare: async () => ({ args: by('probe_transfer'), path: payment }),
    shown: [...OF_A_PAYMENT, /pending/, /probe_transfer/],
  },
  'payments get': {
    prepare: async shop => ({ args: [(await shop.pay('probe_qr')).id], path: payment }),
    shown: [...OF_A_PAYMENT, /pending/, /[▀▄█]{10}/],
  },
  'payments wait': {
    prepare: async shop => ({ args: [await paid(shop)], path: payment }),
    shown: [...OF_A_PAYMENT, /succeeded/],
  },
  'payments cancel': {
    prepare: async shop => ({ args: [(await shop.pay('probe_transfer')).id], path: payment }),
    shown: [...OF_A_PAYMENT, /pending/],
  },
  'payments submit-receipt': {
    prepare: async (shop, { place }) => ({
      args: [(await shop.pay('probe_receipt')).id, '--file', await place.write('slip.png', png(7))],
      path: payment,
    }),
    shown: [...OF_A_PAYMENT, /processing/],
  },
  'payouts list': {
    prepare: async shop => {
      await somePayouts(shop)
      return { args: [], path: () => '/payout_intents' }
    },
    rows: body => body.data,
    shown: [/po_\w+/, /50\.00 THB/, /คืนเงิน, "สอง" 🧾/, /requires_approval/],
  },
  'payouts cancel': {
    prepare: async shop => {
      const { id } = await shop.payout('refund-1')
      return { args: [id], path: () => '/payout_intents?merchant_reference=refund-1' }
    },
    shown: [/po_\w+/, /50\.00 THB/, /refund-1/, /cancelled/],
  },
  request: {
    prepare: async shop => {
      const { id } = await shop.pay('probe_transfer')
      return { args: ['GET', `/payment_intents/${id}`], path: payment }
    },
    shown: [/pi_\w+/, /15000/, /order-1/],
  },
}

const OTHERS = ['jsonl', 'yaml', 'csv', 'human'] as const

inEachWorld((world, isSimulator) => {
  describe.each(Object.entries(COMMANDS))('%s', (words, { prepare, rows, shown }) => {
    /** JSON is as the server wrote it. The others are made of what was read: elsewhere, one of them for each command. */
    const inFormat = (format: (typeof OTHERS)[number], name: string, body: () => Promise<void>) => {
      const turn = OTHERS[Object.keys(COMMANDS).indexOf(words) % OTHERS.length]
      if (isSimulator || format === turn) test(name, body)
    }

    /** A merchant of its own, its command run in one format: its output, and the server's own words for it. */
    async function run(format: string) {
      const shop = await world().shop()
      const { args, path } = await prepare(shop, world())
      const done = await shop.paysim(words, [...args, '-o', format])
      expect(done.code, done.stderr).toBe(0)
      return { ...done, text: async (answer: Body = {}) => wanted(words, await shop.text(path(answer))) }
    }

    test('as JSON: the body as the server sent it', async () => {
      const { stdout, text } = await run('json')
      const answer = JSON.parse(stdout)
      const told = await text(answer)
      if (words === 'payouts cancel') expect(answer).toEqual(JSON.parse(told))
      else expect(stdout).toBe(`${told}\n`)
    })

    inFormat('jsonl', 'as lines of JSON', async () => {
      const { stdout, text } = await run('jsonl')
      const lines = readLines(stdout)
      const body = JSON.parse(await text(lines[0]))
      expect(lines).toEqual(rows ? rows(body) : [body])
    })

    inFormat('yaml', 'as YAML', async () => {
      const { stdout, text } = await run('yaml')
      const answer = parse(stdout)
      expect(answer).toEqual(JSON.parse(await text(answer)))
    })

    inFormat('csv', 'as CSV', async () => {
      const { stdout, text } = await run('csv')
      const table = readTable(stdout)
      const body = JSON.parse(await text(table[0]))
      const records = rows ? rows(body) : [body]
      expect(table).toHaveLength(records.length)
      for (const [at, row] of table.entries()) expect(namesOf(row)).toEqual(namesOf(records[at]))
    })

    inFormat('human', 'for people', async () => {
      const { stdout } = await run('human')
      for (const pattern of shown) expect(stdout).toMatch(pattern)
      expect(stripVTControlCharacters(stdout), 'a pipe gets no colours').toBe(stdout)
      expect(stdout.endsWith('\n')).toBe(true)
    })
  })
})

/** What the server tells of one payout it tells in a list. */
function wanted(words: string, text: string): string {
  if (words !== 'payouts cancel') return text.trimEnd()
  return JSON.stringify(JSON.parse(text).data[0])
}

/** What a row is known by. A cell that a spreadsheet would run has an apostrophe before it. */
function namesOf({ id, code, status, merchant_reference }: Body) {
  const reference = merchant_reference?.replace(/^'(?==)/, '')
  return { id, code, status, reference }
}
