import { chmod } from 'node:fs/promises'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'
import { readLines } from '../../support/cli/formats.ts'
import { openSite } from '../../support/cli/site.ts'
import { keepSecret, useWorkplace } from '../../support/cli/workplace.ts'
import { openApplication, type Reply } from '../../support/webhooks/application.ts'

const place = useWorkplace()
const SECRET = `whsec_${Buffer.from('the secret of this endpoint').toString('base64')}`
keepSecret(SECRET)
const YESTERDAY = new Date(Date.now() - 86_400_000)
const BODY = '{"id":"evt_1","type":"payment.succeeded","data":{"amount":"100"}}'

/** A line as `receive` saves it, and `listen -o jsonl` prints it. */
function line(id = 'evt_1', body = BODY.replace('evt_1', id)): string {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'a gateway',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(YESTERDAY.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, YESTERDAY, body),
    host: 'tunnel.example',
    'transfer-encoding': 'chunked',
  }
  return `${JSON.stringify({ received_at: YESTERDAY.toISOString(), id, headers, body })}\n`
}

async function application(...replies: readonly Reply[]) {
  const open = await openApplication(...replies)
  onTestFinished(open.close)
  return open
}

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  place().paysim(['webhooks', ...args], { env })

test('replay sends saved webhooks as they were, or signed afresh, and says that their time is old', async () => {
  const app = await application({ status: 204 })
  const file = await place().write('one.json', line())
  const several = await place().write('several.jsonl', line('evt_2') + line('evt_3'))
  const secret = await place().write('secret', SECRET)
  const asIs = await run(['replay', file, several, '--to', app.url])
  expect(asIs).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('3 of 3 webhooks are sent with an old'),
  })
  expect(asIs.stdout).toMatch(/^✓ 204 {2}payment.succeeded {2}evt_1 {2}in \d+ ms {2}.*one.json$/m)
  const kept = JSON.parse(line())
  const { host, 'transfer-encoding': _, ...headers } = kept.headers
  expect(app.heard[0]).toMatchObject({ method: 'POST', body: BODY, headers })
  expect(app.heard[0]?.headers.host).not.toBe(host)
  expect(app.heard.map(each => each.headers['webhook-id'])).toEqual(['evt_1', 'evt_2', 'evt_3'])

  const afresh = await run(['replay', file, '--to', app.url, '--secret-file', secret, '-o', 'jsonl'])
  expect(afresh).toMatchObject({ code: 0, stderr: expect.not.stringContaining('old time') })
  expect(readLines(afresh.stdout)).toMatchObject([
    { file, id: 'evt_1', type: 'payment.succeeded', status: 204 },
  ])
  const sent = app.heard[3]
  expect(sent).toMatchObject({ body: BODY, headers: { 'user-agent': 'a gateway', 'webhook-id': 'evt_1' } })
  // The public verifier refuses an old time.
  new Webhook(SECRET).verify(sent?.body ?? '', sent?.headers as Record<string, string>)
})

test('replay sends bytes that are not text, and what an editor made of a body', async () => {
  const app = await application({ status: 200 })
  const bytes = Buffer.from([0xff, 0x00, 0xfe]).toString('base64')
  const raw = await place().write('raw.json', JSON.stringify({ ...JSON.parse(line()), body_base64: bytes }))
  const env = { PAYSIM_WEBHOOK_SECRET: SECRET }
  expect(await run(['replay', raw, '--to', app.url], env)).toMatchObject({ code: 0 })
  expect(app.heard[0]?.headers['content-length']).toBe('3')

  const file = await place().write('edit.json', line())
  const editor = async (script: string) => {
    const path = await place().write('editor', `#!/bin/sh\n${script}\n`)
    await chmod(path, 0o700)
    return { ...env, EDITOR: path }
  }
  const edit = ['replay', file, '--to', app.url, '--edit']
  const changing = await editor(`sed -i 's/"100"/"999"/; s/evt_1/evt_9/' "$1"; echo >> "$1"`)
  expect(await run(edit, changing)).toMatchObject({ code: 0 })
  const changed = app.heard[1]
  expect(JSON.parse(changed?.body ?? '')).toEqual({
    ...JSON.parse(BODY),
    id: 'evt_9',
    data: { amount: '999' },
  })
  expect(changed?.headers['webhook-id']).toBe('evt_9')
  new Webhook(SECRET).verify(changed?.body ?? '', changed?.headers as Record<string, string>)
  expect(await run(edit, await editor('true'))).toMatchObject({ code: 0 })
  expect(app.heard[2]?.body).toBe(BODY)
  for (const script of ['exit 3', ': > "$1"'])
    expect(await run(edit, await editor(script))).toMatchObject({ code: 2 })
  expect(await run(edit)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--edit needs the secret'),
  })
  expect(await run(['replay', raw, '--to', app.url, '--edit'], await editor('true'))).toMatchObject({
    code: 2,
  })
  expect(app.heard).toHaveLength(3)
})

test('send posts an invented event of a type; a refusal ends with 10, and no answer with 7', async () => {
  const app = await application({ status: 200 }, { status: 401 })
  const env = { PAYSIM_WEBHOOK_SECRET: SECRET }
  const data = await place().write('data.yaml', 'merchant_reference: order-7\n')
  const send = (...args: string[]) => run(['send', ...args], env)
  expect(await send('payout.failed', '--to', app.url, '--data', data)).toMatchObject({ code: 0 })
  const [heard] = app.heard
  const event = new Webhook(SECRET).verify(heard?.body ?? '', heard?.headers as Record<string, string>)
  expect(event).toMatchObject({
    type: 'payout.failed',
    id: heard?.headers['webhook-id'],
    data: { object: 'payout_intent', status: 'failed', merchant_reference: 'order-7' },
  })
  expect(await send('payment.succeeded', '--to', app.url)).toMatchObject({
    code: 10,
    stdout: expect.stringMatching(/^✗ 401 {2}payment.succeeded/),
  })
  const gone = await openSite(() => {})
  gone.close()
  expect(await send('payment.succeeded', '--to', gone.url)).toMatchObject({
    code: 7,
    stdout: expect.stringContaining('✗ ECONNREFUSED'),
  })
  const [typo, unsigned, empty] = [
    await send('payment.suceeded', '--to', app.url),
    await run(['send', 'payment.succeeded', '--to', app.url]),
    await run(['replay', await place().write('empty', ''), '--to', app.url]),
  ]
  expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean payment.succeeded?') })
  expect(unsigned).toMatchObject({ code: 2, stderr: expect.stringContaining('the secret is missing') })
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('is empty') })
  expect(app.heard).toHaveLength(2)
})
