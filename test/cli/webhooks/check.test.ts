import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { keepSecret, useWorkplace } from '../../support/cli/workplace.ts'

const place = useWorkplace()
const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`
keepSecret(SECRET)

/** An endpoint that verifies nothing, and counts payments in a file that `--state` can print. */
async function endpoint({ ships }: { readonly ships: 'once' | 'at each event' }) {
  const file = await place().write('shipments', '0')
  const seen = new Set<string>()
  let shipments = 0
  const server = createServer(async (request, response) => {
    const { id, type } = JSON.parse(await text(request))
    if (type === 'payment.succeeded' && (ships === 'at each event' || !seen.has(id))) {
      seen.add(id)
      shipments += 1
      await place().write('shipments', String(shipments))
    }
    response.end('ok')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, state: `cat ${file}` }
}

const check = (args: readonly string[], env: Record<string, string> = { PAYSIM_WEBHOOK_SECRET: SECRET }) =>
  place().paysim(['webhooks', 'check', ...args], { env })

test('check finds nothing at a correct endpoint; a wrong one ends it with 10 and advice', async () => {
  const once = await endpoint({ ships: 'once' })
  const right = await check([once.url, '--only', 'webhook-twice,webhook-late', '--state', once.state])
  expect(right.code, right.stdout + right.stderr).toBe(0)
  expect(right.stdout).toContain('Nothing was found.')

  const { url, state } = await endpoint({ ships: 'at each event' })
  const flags = ['--only', 'webhook-twice', '--state', state, '--within', '100ms', '-o', 'json']
  const { code, stdout } = await check([url, ...flags])
  expect(code).toBe(10)
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ ok: false, url: `http://${url}`, checks: [{ kind: 'plain', ok: true }, {}] })
  expect(report.checks[1]).toMatchObject({
    kind: 'webhook-twice',
    ok: false,
    guide: 'docs/surviving.md#webhook-twice',
    answers: [{ status: 200 }, { status: 200 }],
  })
  expect(report.checks[1].problems[0]).toContain('The same event again changed the state')
  expect(report.checks[1].advice).toContain('Store the ids')
})

test('an accepted forgery is a problem without --state', async () => {
  const { url } = await endpoint({ ships: 'once' })
  const secret = await place().write('secret', SECRET)
  const { code, stdout } = await check([url, '--secret-file', secret, '--only', 'webhook-forged'], {})
  expect(code).toBe(10)
  expect(stdout).toContain('signed with another secret, was answered 200: it was accepted')
  expect(stdout).toContain('docs/surviving.md#webhook-forged')
})

test('an address without an endpoint ends with 7, and a usage error with 2', async () => {
  expect((await check(['127.0.0.1:1/hooks'])).code).toBe(7)
  expect((await check(['127.0.0.1:1/hooks'], {})).code).toBe(2)
  const { url } = await endpoint({ ships: 'once' })
  const unknown = await check([url, '--state', 'no-such-command-anywhere'])
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('--state: no-such-command-anywhere cannot be run')
  const kind = await check([url, '--only', 'webhook-twise'])
  expect(kind.code).toBe(2)
  expect(kind.stderr).toContain('Did you mean webhook-twice?')
})
