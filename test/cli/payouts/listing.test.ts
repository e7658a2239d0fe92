import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { readLines } from '../../support/cli/formats.ts'
import { openSite } from '../../support/cli/site.ts'
import { noTerminal, openTerminal } from '../../support/cli/terminal.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'
import { BINARY } from '../../support/paysim-binary.ts'

const place = useWorkplace()

const payout = (nth: number) => ({
  id: `po_${nth}`,
  object: 'payout_intent',
  amount: '1050',
  currency: 'THB',
  country: 'TH',
  environment: 'test',
  merchant_reference: `refund-${nth}`,
  status: 'succeeded',
  recipient: { type: 'bank_account', bank_code: 'bbl', holder_name: 'สมชาย', account_last4: '7890' },
  created_at: '2026-01-31T11:00:00.000Z',
  updated_at: '2026-01-31T11:00:00.000Z',
})

type Page = (
  cursor: string | null,
  filters: URLSearchParams,
) => { data: unknown[]; next_cursor: string | null }

/** A gateway that only lists payouts, as a test has it, and cancels the one it is asked to. */
async function gateway(pageAt: Page) {
  const asked: URLSearchParams[] = []
  const { url, close } = await openSite((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '', 'http://gateway')
    asked.push(searchParams)
    const page = pageAt(searchParams.get('cursor'), searchParams)
    response.writeHead(200, { 'content-type': 'application/json' })
    const [, , id] = pathname.split('/')
    const body = id === undefined ? { ...page, has_more: page.next_cursor !== null } : { ...payout(0), id }
    response.end(JSON.stringify(body))
  })
  onTestFinished(close)
  const env = { PAYSIM_BASE_URL: url, PAYSIM_PUBLIC_KEY: 'pk_test_a', PAYSIM_SECRET_KEY: 'sk_test_listing' }
  return { env, asked }
}

/** Pages of two, counted by their cursors; `pages` is how many there are. */
const counted =
  (pages: number): Page =>
  cursor => {
    const nth = Number(cursor ?? 0)
    return {
      data: [payout(nth * 2), payout(nth * 2 + 1)],
      next_cursor: nth + 1 < pages ? String(nth + 1) : null,
    }
  }

const list = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  place().paysim(['payouts', 'list', ...args], { env })

test('a cursor that repeats ends the list with an error, and suggests no command to continue', async () => {
  const { env, asked } = await gateway(cursor => ({
    data: [payout(asked.length)],
    next_cursor: cursor === 'b' ? 'a' : cursor === 'a' ? 'b' : 'a',
  }))
  const { code, stdout, stderr } = await list(env, '--all', '-o', 'jsonl')
  expect(code).toBe(7)
  expect(readLines(stdout)).toHaveLength(3)
  expect(asked).toHaveLength(3)
  expect(stderr).toContain('a second time')
  expect(stderr).not.toContain('--cursor')
})

test('pages have 100 payouts and carry every filter, unless a size is given', async () => {
  // A page of others than those that were asked for would be refused.
  const { env, asked } = await gateway((cursor, query) => {
    const { data, ...more } = counted(2)(cursor, query)
    return {
      data: data.map(payout => ({ ...Object(payout), ...Object.fromEntries(query) })),
      ...more,
    }
  })
  const filters = [
    '--status',
    'failed',
    '--currency',
    'THB',
    '--country',
    'TH',
    '--merchant-reference',
    'a b',
  ]
  expect(await list(env, '--all', ...filters, '-o', 'jsonl')).toMatchObject({ code: 0, stderr: '' })
  expect(asked.map(query => Object.fromEntries(query))).toEqual([
    { status: 'failed', currency: 'THB', country: 'TH', merchant_reference: 'a b', limit: '100' },
    {
      status: 'failed',
      currency: 'THB',
      country: 'TH',
      merchant_reference: 'a b',
      limit: '100',
      cursor: '1',
    },
  ])
  expect(await list(env, '--limit', '7')).toMatchObject({ code: 0 })
  expect(asked.at(-1)?.get('limit')).toBe('7')
})

test('a relative time is fixed once, for the next page and for the suggested command', async () => {
  const { env, asked } = await gateway((cursor, query) =>
    cursor === '1' ? { data: 'none' as unknown as unknown[], next_cursor: null } : counted(3)(cursor, query),
  )
  const startedAt = Date.now()
  const { stderr } = await list(env, '--created-after', '7d', '--cursor=0', '--created-before=12h', '-v')
  const [, after = ''] = /^--created-after 7d means (\S+)$/m.exec(stderr) ?? []
  expect(asked[0]?.get('created_after')).toBe(after)
  // The run began after this test looked at the clock, and not a minute later.
  const age = startedAt - Date.parse(after)
  expect(age).toBeGreaterThan(7 * 86_400_000 - 60_000)
  expect(age).toBeLessThanOrEqual(7 * 86_400_000)
  const before = asked[0]?.get('created_before')
  expect(stderr).toContain(
    `\n  paysim payouts list -v --created-after ${after} --created-before ${before} --cursor 1\n`,
  )
})

test('an impossible page size, time or status is refused before any call', async () => {
  const { env, asked } = await gateway(counted(1))
  const runs = await Promise.all([
    list(env, '--limit', '101'),
    list(env, '--created-after', '2026-01-01'),
    list(env, '--created-after', 'yesterday'),
    list(env, '--status', 'suceeded'),
  ])
  expect(runs).toMatchObject(runs.map(() => ({ code: 2, stdout: '' })))
  expect(runs.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining('1 to 100'),
    expect.stringContaining('2026-01-01T00:00:00Z'),
    expect.stringContaining('how long ago'),
    expect.stringContaining('Did you mean succeeded?'),
  ])
  expect(asked).toEqual([])
})

test('with --all, --limit is the total, and --page-size the size of a page', async () => {
  const { env, asked } = await gateway((cursor, query) => {
    const from = Number(cursor ?? 0)
    const data = Array.from({ length: Number(query.get('limit')) }, (_, at) => payout(from + at))
    return { data, next_cursor: String(from + data.length) }
  })
  const capped = await list(env, '--all', '--limit', '250', '-o', 'jsonl')
  expect(capped.code, capped.stderr).toBe(0)
  expect(readLines(capped.stdout)).toHaveLength(250)
  expect(asked.splice(0).map(query => query.get('limit'))).toEqual(['100', '100', '50'])
  expect(capped.stderr).toContain('paysim payouts list --all -o jsonl --limit 250 --cursor 250')
  const small = await list(env, '--all', '--limit', '7', '--page-size', '3', '--query', 'id')
  expect(small.stdout.trim().split('\n')).toHaveLength(7)
  expect(asked.splice(0).map(query => query.get('limit'))).toEqual(['3', '3', '1'])
  expect(await list(env, '--page-size', '4', '-o', 'json')).toMatchObject({ code: 0 })
  expect(asked.at(-1)?.get('limit')).toBe('4')
  expect(await list(env, '--page-size', '101')).toMatchObject({ code: 2, stdout: '' })
})

test('csv keeps unknown members, reports late ones, and has amounts in decimals', async () => {
  const { env } = await gateway(cursor => {
    const nth = Number(cursor ?? 0)
    const { recipient, ...rest } = payout(nth)
    const wallet = { ...recipient, wallet_id: `w_${nth}` }
    const data = [{ ...rest, recipient: wallet, ...(nth > 0 ? { memo: 'late' } : {}) }]
    return { data, next_cursor: nth < 2 ? String(nth + 1) : null }
  })
  const { code, stdout, stderr } = await list(env, '--all', '-o', 'csv', '--bom')
  expect(code, stderr).toBe(0)
  const [header = '', first = ''] = stdout.split('\r\n')
  expect(header).toMatch(/^\ufeffid,status,amount,amount_decimal,currency,.*,recipient\.wallet_id$/)
  expect(first).toMatch(/^po_0,succeeded,1050,10\.50,THB,.*,w_0$/)
  expect(stderr.match(/memo/g)).toHaveLength(1)
  expect(stderr).toContain('use -o jsonl')
})

test('--columns selects columns for people and for csv, and suggests a similar name', async () => {
  const { env } = await gateway(counted(1))
  const chosen = ['--columns', 'id,amount,status']
  const [table, csv, members, slip, idle, bom] = await Promise.all([
    list(env, ...chosen),
    list(env, ...chosen, '-o', 'csv'),
    list(env, '--columns', 'id,recipient.account_last4,amount_decimal,reference', '-o', 'csv'),
    list(env, '--columns', 'id,amuont'),
    list(env, ...chosen, '-o', 'json'),
    list(env, '--bom'),
  ])
  expect(table?.stdout.split('\n')[0]).toMatch(/^id +amount +status$/)
  expect(table?.stdout).toContain('10.50 THB')
  expect(csv?.stdout).toBe('id,amount,status\r\npo_0,1050,succeeded\r\npo_1,1050,succeeded\r\n')
  expect(members?.stdout.split('\r\n').slice(0, 2)).toEqual([
    'id,recipient.account_last4,amount_decimal,merchant_reference',
    'po_0,7890,10.50,refund-0',
  ])
  for (const run of [slip, idle, bom]) expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(slip?.stderr).toContain('did you mean amount?')
  expect(idle?.stderr).toContain('--query')
})

test('a narrow screen cuts no value that must be whole, and names columns without room', async () => {
  const long = {
    ...payout(1),
    id: `po_${'0'.repeat(24)}`,
    amount: '123456789012',
    status: 'requires_approval',
  }
  const { env } = await gateway(() => ({ data: [long], next_cursor: null }))
  for (const columns of ['100', '80', '60', '40']) {
    const { stdout, stderr } = await list({ ...env, COLUMNS: columns })
    for (const whole of [long.id, '1,234,567,890.12 THB', 'requires_approval'])
      expect(stdout).toContain(whole)
    expect(stdout).not.toContain('…')
    if (stdout.includes('+07:00')) continue
    expect(stderr).toMatch(/^Left out to fit the width: .*created.*--columns.*\n$/)
  }
  expect((await list({ ...env, COLUMNS: '40' })).stdout).toMatch(/^ +id +po_0+\n +amount +1,234/)
})

test.each([
  ['succeded', 'Did you mean succeeded?'],
  ['paid', 'Did you mean succeeded?'],
  ['pending', 'Did you mean requires_approval?'],
  ['canceled', 'Did you mean cancelled?'],
  ['failed,Succeeded', 'Did you mean succeeded?'],
  ['quarantined', '--any-status'],
])('an unknown status is refused before any call: %s', async (status, told) => {
  const { env, asked } = await gateway(counted(1))
  const { code, stdout, stderr } = await list(env, '--status', status)
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(told)
  expect(asked).toEqual([])
})

test('--any-status sends a status that only the server knows', async () => {
  const { env, asked } = await gateway(counted(1))
  const statuses = ['--status', 'quarantined,failed', '--status', 'processing', '--any-status']
  const { code, stderr } = await list(env, ...statuses)
  expect(code, stderr).toBe(0)
  expect(asked[0]?.get('status')).toBe('quarantined,failed,processing')
})

test('an endless list stops quietly when its reader closes the pipe', async () => {
  const { env } = await gateway(cursor => counted(Number(cursor ?? 0) + 2)(cursor, new URLSearchParams()))
  const child = spawn(process.execPath, [BINARY, 'payouts', 'list', '--all', '-o', 'jsonl'], {
    env: { ...cleanEnvironment(place().path('')), ...env },
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(said).toBe('')
})

test.skipIf(noTerminal)('the terminal shows a count while a file is written, and then a total', async () => {
  const { env } = await gateway(counted(3))
  const file = join(place().path(''), 'payouts.jsonl')
  const terminal = await openTerminal(['payouts', 'list', '--all', '-o', 'jsonl'], { env, stdout: file })
  onTestFinished(terminal.close)
  const screen = await terminal.waitFor('6 payouts, 63.00 THB')
  expect(screen.trim(), 'the count has given way to the sum').toBe('6 payouts, 63.00 THB')
  expect(await terminal.exit()).toBe(0)
  expect(readLines(await readFile(file, 'utf8'))).toHaveLength(6)
})

test('a live key cancels no payout without confirmation', async () => {
  const { env, asked } = await gateway(counted(1))
  const live = { ...env, PAYSIM_PUBLIC_KEY: 'pk_live_a', PAYSIM_SECRET_KEY: 'sk_live_listing' }
  const cancel = (...args: string[]) => place().paysim(['payouts', 'cancel', 'po_1', ...args], { env: live })
  const refused = await cancel()
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('--yes')
  expect(asked).toEqual([])
  expect(await cancel('--yes', '-o', 'json')).toMatchObject({ code: 0 })
  expect(asked).toHaveLength(1)
  expect(await cancel('--yes', '--reason', 'ก'.repeat(513))).toMatchObject({ code: 2 })
  expect(asked).toHaveLength(1)
})
