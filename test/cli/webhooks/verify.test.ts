import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { type CommandOptions, keepSecret, useWorkplace } from '../../support/cli/workplace.ts'

const place = useWorkplace()

const SECRET = 'whsec_c2VjcmV0LW9mLXRoZS1lbmRwb2ludA=='
keepSecret(SECRET)
const BODY = '{"id":"evt_1","type":"payment.succeeded","data":{"holder":"สมชาย 🙂"}}'

/** The headers of a webhook, signed by another implementation of the standard. */
function signed(body = BODY, { id = 'evt_1', at = new Date() }: { id?: string; at?: Date } = {}) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, at, body),
  }
}

type Headers = Readonly<Record<string, string>>

const asBlock = (headers: Headers, end = '\r\n') =>
  Object.entries(headers)
    .map(([name, value]) => `${name.toUpperCase()}: ${value}${end}`)
    .join('')

const YESTERDAY = new Date(Date.now() - 86_400_000)

const verify = (args: readonly string[], { env, ...more }: CommandOptions = {}) =>
  place().paysim(['webhooks', 'verify', ...args], { env: { PAYSIM_WEBHOOK_SECRET: SECRET, ...env }, ...more })

async function written(headers: string, body?: string): Promise<string[]> {
  const file = await place().write('headers', headers)
  return ['--headers', file, ...(body === undefined ? [] : ['--body', await place().write('body', body)])]
}

test('verify accepts a webhook in any form in which people keep one', async () => {
  const headers = signed()
  const line = JSON.stringify({
    received_at: YESTERDAY.toISOString(),
    headers: signed(BODY, { at: YESTERDAY }),
    body: BODY,
  })
  const length = Buffer.byteLength(BODY)
  const forms = {
    lines: [asBlock(headers, '\n'), BODY],
    JSON: [JSON.stringify(headers), BODY],
    'a request with its body': [`POST /hooks HTTP/1.1\r\n${asBlock(headers)}\r\n${BODY}`],
    'one whose file ends in a line break': [
      `POST /hooks HTTP/1.1\r\nContent-Length: ${length}\r\n${asBlock(headers)}\r\n${BODY}\n`,
    ],
    'a line of listen, however old': [`${line}\n`],
  }
  for (const [name, [head = '', body]] of Object.entries(forms)) {
    const { code, stdout } = await verify([...(await written(head, body)), '-o', 'json'])
    expect({ name, code, ...JSON.parse(stdout) }).toMatchObject({ name, code: 0, valid: true, id: 'evt_1' })
  }
  const single = [
    '--id',
    'evt_1',
    '--timestamp',
    headers['webhook-timestamp'],
    '--signature',
    headers['webhook-signature'],
  ]
  expect(await verify([...single, '--body', '-'], { input: BODY })).toMatchObject({ code: 0 })
  const file = await place().write('secret', `${SECRET}\n`)
  const own = ['--secret-file', file, ...single, '--body', '-']
  expect(await verify(own, { input: BODY, env: { PAYSIM_WEBHOOK_SECRET: '' } })).toMatchObject({ code: 0 })
})

test('verify names each failed check, and ends with 3', async () => {
  const failing = async (...args: string[]) => {
    const { code, stdout } = await verify([...args, '-o', 'json'])
    const { valid, checks } = JSON.parse(stdout)
    expect({ code, valid }).toEqual({ code: 3, valid: false })
    return checks.filter(({ fault }: { fault: string | null }) => fault !== null)
  }
  const good = asBlock(signed())
  const altered = BODY.replace('succeeded', 'failed')
  expect(await failing(...(await written(good, altered)))).toMatchObject([{ check: 'signature' }])
  const [lineEnd] = await failing(...(await written(good, `${BODY}\n`)))
  expect(lineEnd.fault).toContain('would match without the line break at the end of the body')
  const { 'webhook-signature': _, ...unsigned } = signed()
  expect(await failing(...(await written(asBlock(unsigned), BODY)))).toEqual([
    { check: 'headers', fault: 'it has no webhook-signature' },
  ])
  const other = asBlock(signed(BODY, { id: 'evt_2' }))
  expect(await failing(...(await written(other, BODY)))).toMatchObject([{ check: 'event' }])
  const old = await written(asBlock(signed(BODY, { at: YESTERDAY })), BODY)
  expect(await failing(...old)).toMatchObject([{ check: 'timestamp' }])
  expect(await verify([...old, '--tolerance', '2d'])).toMatchObject({ code: 0 })
  expect(await verify([...old, '--tolerance', 'none'])).toMatchObject({ code: 0 })
  const human = await verify(await written(good, altered))
  expect(human.code).toBe(3)
  expect(human.stdout).toMatch(/^not valid {2}evt_1\n[\s\S]*signature {2}the signature v1,/)
})

test('missing or invalid input is a usage error, and no secret is repeated', async () => {
  const all = await written(asBlock(signed()), BODY)
  const runs = await Promise.all([
    verify(all, { env: { PAYSIM_WEBHOOK_SECRET: '' } }),
    verify(all, { env: { PAYSIM_WEBHOOK_SECRET: 'not a secret' } }),
    verify(all.slice(0, 2)),
    verify(['--id', 'evt_1', '--body', '-'], { input: BODY }),
    verify(['--headers', '-', '--body', '-'], { input: BODY }),
    verify(['--headers', place().path('nowhere'), '--body', '-'], { input: BODY }),
    verify([...all, '--tolerance', 'long']),
  ])
  expect(runs).toMatchObject(runs.map(() => ({ code: 2, stdout: '' })))
  expect(runs.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining('PAYSIM_WEBHOOK_SECRET'),
    expect.not.stringContaining('not a secret'),
    expect.stringContaining('--body'),
    expect.stringContaining('--timestamp'),
    expect.stringContaining('--headers and --body'),
    expect.stringContaining('cannot read'),
    expect.stringContaining('duration'),
  ])
})
