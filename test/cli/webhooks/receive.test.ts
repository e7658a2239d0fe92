import { createHmac } from 'node:crypto'
import { lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readLines } from '../../support/cli/formats.ts'
import { openSite } from '../../support/cli/site.ts'
import { noTerminal, openTerminal } from '../../support/cli/terminal.ts'
import { keepSecret, type Running, useWorkplace } from '../../support/cli/workplace.ts'
import { openSmallDisk, whyNoSmallDisk } from '../../support/disk/small-disk.ts'
import { openApplication, type Reply } from '../../support/webhooks/application.ts'

const place = useWorkplace()
const [OLD, NEW, FOREIGN] = ['old', 'new', 'foreign'].map(
  name => `whsec_${Buffer.from(`the ${name} secret of an endpoint`).toString('base64')}`,
) as [string, string, string]
keepSecret(OLD, NEW, FOREIGN)

const BODY = '{"type":"invoice.paid","data":{"id":"in_1","holder":"สมชาย 🙂"}}'

interface Signing {
  readonly id?: string
  readonly at?: Date
  readonly body?: string
}

/** Signed by another implementation of the standard. */
const signed = (secret: string, { id = 'msg_1', at = new Date(), body = BODY }: Signing = {}) => ({
  'content-type': 'application/json',
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(secret).sign(id, at, body),
})

type Headers = Readonly<Record<string, string>>

async function post(url: string, headers: Headers, body: string | Buffer = BODY): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) })
  await answer.arrayBuffer()
  return answer.status
}

/** The answer to a body that does not end. */
function answerToEndless(url: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  const pump = () => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(pump))
  }
  socket.write('POST / HTTP/1.1\r\nhost: shop.example\r\ntransfer-encoding: chunked\r\n\r\n', pump)
  return new Promise(resolve => {
    let answered = ''
    socket.on('data', part => {
      answered += part
    })
    socket.on('error', () => {}).on('close', () => resolve(answered))
  })
}

async function receiving(...args: readonly string[]): Promise<{ receiver: Running; url: string }> {
  const receiver = place().start(['webhooks', 'receive', ...args])
  const [, url = ''] = /Receiving webhooks on (\S+\/)/.exec(await receiver.says(/Receiving .*\n/)) ?? []
  return { receiver, url }
}

async function application(...replies: readonly Reply[]) {
  const open = await openApplication(...replies)
  onTestFinished(open.close)
  return open
}

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
const rowsOf = (stdout: string) => readLines(stdout) as any[]

test('receive verifies webhooks of any gateway, and shows, forwards and saves those that are right', async () => {
  const app = await application({ status: 202 })
  const secrets = await place().write('secrets', `${OLD}\n`)
  const saved = place().path('hooks')
  const { receiver, url } = await receiving(
    ...['--secret-file', secrets, '--forward-to', app.url, '--save', saved, '--count', '6', '-o', 'jsonl'],
  )
  const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d])
  const ofBytes = signed(OLD, { id: 'msg_bytes' })
  const key = Buffer.from(OLD.slice('whsec_'.length), 'base64')
  const digest = createHmac('sha256', key)
    .update(`msg_bytes.${ofBytes['webhook-timestamp']}.`)
    .update(bytes)
    .digest('base64')
  const both = signed(OLD, { id: 'msg_both' })
  const foreign = signed(FOREIGN, { id: 'msg_both' })
  const wrong = [
    [signed(FOREIGN), BODY],
    [signed(OLD), `${BODY}\n`],
    [signed(OLD, { at: new Date(Date.now() - 3_600_000) }), BODY],
    [{ 'content-type': 'application/json' }, BODY],
  ] as const
  for (const [headers, body] of wrong) expect(await post(`${url}any/path`, headers, body)).toBe(400)
  const right = [
    [signed(OLD), BODY],
    [{ ...signed(OLD, { id: 'msg_text', body: 'no JSON' }), 'content-type': 'text/plain' }, 'no JSON'],
    [{ ...ofBytes, 'webhook-signature': `v1,${digest}` }, bytes],
    [
      {
        ...both,
        'webhook-signature': `v1a,AAAA ${foreign['webhook-signature']} ${both['webhook-signature']}`,
      },
      BODY,
    ],
  ] as const
  for (const [headers, body] of right) expect(await post(`${url}hooks?of=shop`, headers, body)).toBe(202)
  // The secret is changed while it runs: for a while, both are valid.
  expect(await post(url, signed(NEW, { id: 'msg_new' }))).toBe(400)
  await place().write('secrets', `${NEW}\n${OLD}\n`)
  expect(await post(url, signed(NEW, { id: 'msg_new' }))).toBe(202)
  expect(await post(url, signed(OLD, { id: 'msg_old' }))).toBe(202)

  const { code, stdout, stderr } = await receiver.ended
  expect(code, stderr).toBe(0)
  const rows = rowsOf(stdout)
  expect(rows.filter(({ signature }) => signature === 'invalid')).toMatchObject([
    { answered: 400, fault: expect.stringContaining("does not match the body and the endpoint's secret") },
    { answered: 400, fault: expect.stringContaining('without the line break at the end of the body') },
    { answered: 400, fault: expect.stringContaining('is stale: it is 1h'), forwarded: null, saved: null },
    { answered: 400, fault: 'it has no webhook-id' },
    { answered: 400, id: 'msg_new' },
  ])
  const taken = rows.filter(({ signature }) => signature === 'valid')
  expect(taken.map(({ id }) => id)).toEqual([
    ...['msg_1', 'msg_text', 'msg_bytes', 'msg_both', 'msg_new', 'msg_old'],
  ])
  expect(taken.map(({ saved }) => saved)).toEqual(
    [1, 2, 3, 4, 5, 6].map(nth => `hooks/webhook-000${nth}.json`),
  )
  expect(taken[0]).toMatchObject({
    type: 'invoice.paid',
    answered: 202,
    forwarded: { url: app.url, status: 202 },
  })
  expect(app.heard.map(({ path }) => path)).toEqual(taken.map(() => '/hooks?from=paysim'))
  new Webhook(OLD).verify(app.heard[0]?.body ?? '', app.heard[0]?.headers as Record<string, string>)
  expect(app.heard[1]).toMatchObject({ body: 'no JSON', headers: { 'content-type': 'text/plain' } })

  const file = (name: string) => readFile(`${saved}/${name}`, 'utf8')
  expect(JSON.parse(await file('webhook-0001.json'))).toMatchObject({ id: 'msg_1', body: BODY })
  const third = JSON.parse(await file('webhook-0003.json'))
  expect(Buffer.from(third.body_base64, 'base64')).toEqual(bytes)
  const secret = ['--secret-file', secrets]
  for (const name of ['webhook-0001.json', 'webhook-0003.json']) {
    const verdict = await place().paysim([
      'webhooks',
      'verify',
      '--headers',
      `${saved}/${name}`,
      ...secret,
      '-o',
      'json',
    ])
    expect(JSON.parse(verdict.stdout).checks[1]).toEqual({ check: 'signature', fault: null })
  }
})

test('a stranger can neither fill it, nor block it, nor write elsewhere, nor deceive the reader', async () => {
  const app = await application({ status: 204 })
  const secret = await place().write('secret', OLD)
  const [folder, outside] = [place().path('kept'), place().path('outside')]
  await mkdir(folder)
  await place().write('kept/webhook-0001.json', 'mine')
  await symlink(outside, `${folder}/webhook-0002.json`)
  await symlink(outside, `${folder}/webhook-0003.json`)
  const { receiver, url } = await receiving(
    ...['--secret-file', secret, '--forward-to', app.url, '--save', folder],
  )
  const slow = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void slow.destroy())
  slow.on('error', () => {}).write('POST / HTTP/1.1\r\nhost: shop.example\r\ncontent-length: 1000\r\n\r\n{')

  expect((await fetch(url)).status).toBe(405)
  const much = 'x'.repeat(1024 * 1024)
  expect(await post(url, signed(OLD, { body: much }), much)).toBe(204)
  expect(await post(url, signed(OLD, { body: `${much}x` }), `${much}x`)).toBe(413)
  expect(await answerToEndless(url)).toMatch(/^HTTP\/1.1 413 /)
  const body = JSON.stringify({
    type: `\u001b[2J\u001b]0;owned\u0007../../../etc/passwd${'y'.repeat(5000)}`,
    data: { id: '\u202e/../../x', status: '\u001b[31m', amount: 1, currency: '\u001b' },
  })
  expect(await post(url, signed(OLD, { id: '../../id', body }), body)).toBe(204)
  expect(await post(url, { ...signed(OLD), 'webhook-signature': `v1,${'A'.repeat(9000)}` })).toBe(400)
  expect(app.heard).toHaveLength(2)

  receiver.interrupt()
  const { code, stdout, stderr } = await receiver.ended
  expect(code, stderr).toBe(130)
  expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]|\u202e/u)
  expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThan(400)
  expect(await readFile(`${folder}/webhook-0001.json`, 'utf8')).toBe('mine')
  expect((await readdir(folder)).sort()).toEqual([1, 2, 3, 4, 5].map(nth => `webhook-000${nth}.json`))
  await expect(lstat(outside)).rejects.toThrow('ENOENT')
  for (const name of ['webhook-0004.json', 'webhook-0005.json'])
    expect((await lstat(`${folder}/${name}`)).mode & 0o777).toBe(0o600)
})

test('a loop ends, a folder that is full is said, and what nobody has is asked for again', async () => {
  const secret = await place().write('secret', OLD)
  await mkdir(place().path('full'))
  await place().write('full/webhook-0999.json', '')
  const own: { url?: string } = {}
  const tunnel = await openSite(async (request, response) => {
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk)
    const headers = request.headers as Record<string, string>
    const passed = Object.fromEntries(Object.entries(headers).filter(([name]) => /^webhook-/.test(name)))
    response.writeHead(await post(own.url ?? '', passed, Buffer.concat(body))).end()
  })
  onTestFinished(tunnel.close)
  const looped = await receiving('--secret-file', secret, '--forward-to', tunnel.url, '--count', '9')
  own.url = looped.url
  expect(await post(tunnel.url, signed(OLD))).toBe(508)
  looped.receiver.interrupt()
  const loop = await looped.receiver.ended
  expect(loop.stdout.match(/→/g)).toHaveLength(4)
  expect(loop.stderr).toContain('leads back to this receiver')

  const { receiver, url } = await receiving('--secret-file', secret, '--save', 'full', '--count', '3')
  expect(await post(url, signed(OLD))).toBe(200)
  expect(await post(url, signed(OLD))).toBe(503)
  expect(await post(url, signed(OLD))).toBe(503)
  const { stdout, stderr } = await receiver.ended
  expect(stdout).toContain('saved in full/webhook-1000.json')
  expect(stderr.match(/no longer saved in .*: it has 1000 webhooks; give another folder/g)).toHaveLength(1)
})

describe.skipIf(reasonForNoDisk())('on a full disk', () => {
  test('nothing of a webhook stays, and saving goes on when there is room', async () => {
    const disk = openSmallDisk()
    const secret = await place().write('secret', OLD)
    const { receiver, url } = await receiving('--secret-file', secret, '--save', disk.dataDir, '--count', '2')
    const body = 'x'.repeat(64 * 1024)
    disk.fill(2)
    expect(await post(url, signed(OLD, { body }), body)).toBe(503)
    expect(await readdir(disk.dataDir)).toEqual([])
    disk.empty()
    expect(await post(url, signed(OLD, { body }), body)).toBe(200)
    expect((await receiver.ended).stderr).toContain('ENOSPC')
    expect(await readdir(disk.dataDir)).toHaveLength(1)
  })
})

function reasonForNoDisk(): boolean {
  const reason = whyNoSmallDisk()
  if (reason !== undefined) process.stderr.write(`skipped: tests on a full disk: ${reason}\n`)
  return reason !== undefined
}

test('receive refuses what cannot work', async () => {
  const secret = await place().write('secret', OLD)
  const taken = await openSite(() => {})
  onTestFinished(taken.close)
  const receive = (...args: string[]) => place().paysim(['webhooks', 'receive', ...args])
  const runs = [
    await receive(),
    await receive('--secret-file', await place().write('other', 'no secret')),
    await receive('--secret-file', secret, '--port', new URL(taken.url).port),
    await receive('--secret-file', secret, '--save', secret),
    await receive('--secret-file', secret, '--tolerance', 'long'),
  ]
  expect(runs).toMatchObject(runs.map(() => ({ code: 2, stdout: '' })))
  expect(runs.map(({ stderr }) => stderr)).toEqual([
    expect.stringContaining('the secret is missing'),
    expect.stringContaining('whsec_ followed by base64'),
    expect.stringContaining('EADDRINUSE'),
    expect.stringMatching(/cannot save in .*secret \(--save\): EEXIST/),
    expect.stringContaining('duration'),
  ])
})

test.skipIf(noTerminal)('receive fits a narrow terminal', async () => {
  const secret = await place().write('secret', OLD)
  const terminal = await openTerminal(['webhooks', 'receive', '--secret-file', secret, '--save', 'hooks'], {
    columns: 60,
  })
  onTestFinished(terminal.close)
  const [, url = ''] = /webhooks on (\S+\/)/.exec(await terminal.waitFor('Press Ctrl-C to stop.')) ?? []
  expect(await post(url, signed(OLD))).toBe(200)
  expect(await post(url, signed(FOREIGN))).toBe(400)
  const screen = await terminal.waitFor('← 400')
  expect(screen).toMatch(/^\d\d:\d\d:\d\d → invoice.paid {2}in_1 {2}signed {2}msg_1$/m)
  expect(screen).toMatch(/^\d\d:\d\d:\d\d → invoice.paid {2}in_1 {2}not verified/m)
  expect(screen).toMatch(/^ {11}the signature/m)
  await terminal.press('C-c')
  expect(await terminal.exit()).toBe(130)
})
