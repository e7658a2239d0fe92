import { expect, test } from 'vitest'
import { readLines } from '../../support/cli/formats.ts'
import type { Body, Shop } from '../../support/cli/shop.ts'
import { inEachWorld, inTheSimulator } from '../../support/cli/worlds.ts'

const FIRST_DAY = Date.parse('2026-01-01T00:00:00Z')

/** One a day from the first of January 2026; every third is under way. The newest first, as they are listed. */
async function payouts(shop: Shop, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let day = 0; day < count; day++) {
    const created_at = new Date(FIRST_DAY + day * 86_400_000).toISOString()
    const { id } = await shop.payout(`refund-${day}`, {
      created_at,
      status: day % 3 === 0 ? 'processing' : 'requires_approval',
    })
    ids.unshift(id)
  }
  return ids
}

const idsOf = (stdout: string) => readLines(stdout).map(line => (line as Body).id)

inEachWorld(world => {
  test('payouts list prints one page, and says how to continue', async () => {
    const shop = await world().shop({ clock: { mode: 'virtual', now: '2026-02-01T00:00:00Z' } })
    const ids = await payouts(shop, 5)
    const first = await shop.paysim('payouts list --limit 2 -o json')
    expect(first.code, first.stderr).toBe(0)
    const { data, has_more, next_cursor } = JSON.parse(first.stdout)
    expect(data.map(({ id }: Body) => id)).toEqual(ids.slice(0, 2))
    expect(has_more).toBe(true)
    expect(first.stderr).toContain(next_cursor)
    const second = await shop.paysim(`payouts list --limit 2 -o jsonl --cursor ${next_cursor}`)
    expect(idsOf(second.stdout)).toEqual(ids.slice(2, 4))
    const rest = await shop.paysim(`payouts list --all --page-size 2 -o jsonl --cursor ${next_cursor}`)
    expect(idsOf(rest.stdout)).toEqual(ids.slice(2))
  })

  test('payouts list --all prints every page in every format, and filters each page', async () => {
    const shop = await world().shop({ clock: { mode: 'virtual', now: '2026-02-01T00:00:00Z' } })
    const ids = await payouts(shop, 7)
    const list = async (format: string) => {
      const { code, stdout, stderr } = await shop.paysim(`payouts list --all --page-size 2 -o ${format}`)
      expect(code, stderr).toBe(0)
      return stdout
    }
    const [lines, array, table, human] = await Promise.all([
      list('jsonl'),
      list('json'),
      list('csv'),
      list('human'),
    ])
    expect(idsOf(lines)).toEqual(ids)
    expect(JSON.parse(array).map(({ id }: Body) => id)).toEqual(ids)
    for (const text of [table, human]) expect(text.match(/po_\w+/g)).toEqual(ids)
    expect(table.trimEnd().split(/\r?\n/), 'one header').toHaveLength(8)

    const before = (await shop.requests()).length
    const filtered = await shop.paysim(
      'payouts list --all --page-size 1 --status requires_approval --country TH --currency THB -o jsonl',
      ['--created-after', '2026-01-02T07:00:00+07:00', '--created-before', '2026-01-06T00:00:00Z'],
    )
    // Days 1, 2 and 4; the third is under way.
    expect(idsOf(filtered.stdout)).toEqual([ids[2], ids[4], ids[5]])
    const pages = (await shop.requests()).slice(before)
    expect(pages).toHaveLength(3)
    for (const page of pages)
      expect(Object.fromEntries(new URLSearchParams(page.split('?')[1]))).toMatchObject({
        status: 'requires_approval',
        country: 'TH',
        currency: 'THB',
        created_after: '2026-01-02T07:00:00+07:00',
        created_before: '2026-01-06T00:00:00Z',
        limit: '1',
      })
  })

  test('a payout that awaits approval is cancelled once, with a reason', async () => {
    const shop = await world().shop()
    const { id } = await shop.payout('refund-1')
    const first = await shop.paysim(`payouts cancel ${id} -o json`, ['--reason', 'สั่งผิด: twice'])
    expect(first.code, first.stderr).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({ id, status: 'cancelled' })
    const history = await shop.control('GET', `/history/${id}`)
    expect(history.text).toContain('สั่งผิด: twice')
    expect(await shop.paysim(`payouts cancel ${id}`)).toMatchObject({ code: 5, stdout: '' })
  })

  test.skipIf(process.platform === 'win32')(
    'an interrupted list prints the command that lists the rest',
    async () => {
      const shop = await world().shop({ clock: { mode: 'virtual', now: '2026-02-01T00:00:00Z' } })
      const ids = await payouts(shop, 5)
      const faults = [{ on: 'GET /payout_intents', nth: 2, type: 'latency', delay: '1h' }]
      await shop.control('PUT', '/faults', { body: { faults } })
      const listing = shop.start('payouts list --all --page-size 2 --currency THB -o jsonl')
      await listing.says(/"po_\w+"[\s\S]*\n[\s\S]*"po_\w+"[\s\S]*\n/)
      listing.interrupt()
      const { code, stdout, stderr } = await listing.ended
      expect(code, stderr).toBe(130)
      expect(idsOf(stdout)).toEqual(ids.slice(0, 2))
      await expectTheRest(shop, stderr, ids.slice(2))
    },
  )

  test('a list that fails prints the command that lists the rest', async () => {
    const shop = await world().shop({ clock: { mode: 'virtual', now: '2026-02-01T00:00:00Z' } })
    const ids = await payouts(shop, 5)
    const faults = [{ on: 'GET /payout_intents', nth: 3, type: 'status', status: 500 }]
    await shop.control('PUT', '/faults', { body: { faults } })
    const { code, stdout, stderr } = await shop.paysim(
      'payouts list --all --page-size 2 --currency THB -o jsonl',
    )
    expect(code, stderr).toBe(1)
    expect(idsOf(stdout)).toEqual(ids.slice(0, 4))
    await expectTheRest(shop, stderr, ids.slice(4))
  })

  async function expectTheRest(shop: Shop, stderr: string, ids: readonly string[]) {
    const command = /paysim (payouts list .*)/.exec(stderr)?.[1] ?? ''
    expect(command, stderr).toMatch(/--cursor \S+/)
    // It has all that it takes, the contract included, as the shell would read it.
    const words = command.replaceAll("'", '').split(' ')
    const { code, stdout, stderr: said } = await world().place.paysim(words, { env: shop.env })
    expect(code, said).toBe(0)
    expect(idsOf(stdout)).toEqual(ids)
  }
})

// What does not depend on how a server decided.
inTheSimulator(world => {
  test('payouts list filters by several states, an exact reference, and a time relative to now', async () => {
    const shop = await world().shop({ clock: { mode: 'virtual', now: '2026-02-01T00:00:00Z' } })
    const ids = await payouts(shop, 4)
    const { id } = await shop.payout('of today', { created_at: new Date(Date.now() - 60_000).toISOString() })
    const list = async (...args: string[]) => {
      const { code, stdout, stderr } = await shop.paysim('payouts list -o json', args)
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout).data.map((one: Body) => one.id)
    }
    const [comma, repeated, one, recent, older, none] = await Promise.all([
      list('--status', 'requires_approval,processing', '--created-before', '2026-01-31T00:00:00Z'),
      list(
        '--status',
        'requires_approval',
        '--status',
        'processing',
        '--created-before',
        '2026-01-31T00:00:00Z',
      ),
      list('--merchant-reference', 'refund-2'),
      list('--created-after', '2h'),
      list('--created-before', '2h'),
      list('--currency', 'IDR'),
    ])
    expect([comma, repeated]).toEqual([ids, ids])
    expect(one).toEqual([ids[1]])
    expect(recent).toEqual([id])
    expect(older).toEqual(ids)
    expect(none).toEqual([])
  })
})
