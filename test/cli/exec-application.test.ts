import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exec, node, withControl } from '../support/cli/exec.ts'
import { startServer } from '../support/gateway/server.ts'
import { claimedPort } from '../support/http/claimed-port.ts'

// The application under test beside `paysim exec`: it hears webhooks, and what it left behind can be kept.

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'paysim-exec-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const PAY = `
  const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = process.env
  const authorization = 'Basic ' + Buffer.from(PAYSIM_PUBLIC_KEY + ':' + PAYSIM_SECRET_KEY).toString('base64')
  const made = await fetch(PAYSIM_BASE_URL + '/payment_intents', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: '25000', currency: 'THB', country: 'TH', checkout_mode: 'merchant',
      payment_method: 'th_promptpay', merchant_reference: 'order-1', customer: {} }),
  })
  const payment = await made.json()
  await account('/payments/' + payment.id + '/succeed', {})
  const deliveries = async () => (await account('/webhook-deliveries')).data`

const LISTEN = (port: number, then: string) => `
  const { createServer } = await import('node:http')
  const { createHmac } = await import('node:crypto')
  createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { headers } = request
    const key = Buffer.from(process.env.PAYSIM_WEBHOOK_SECRET.slice(6), 'base64')
    const signed = headers['webhook-id'] + '.' + headers['webhook-timestamp'] + '.' + body
    const mine = 'v1,' + createHmac('sha256', key).update(signed).digest('base64')
    console.log(request.url, JSON.parse(body).type, headers['webhook-signature'] === mine)
    response.end(() => { ${then} })
  }).listen(${port}, '127.0.0.1')`

test('--forward-to: delivers earlier webhooks once the port accepts connections', async () => {
  const port = await claimedPort()
  // The webhook is under way, and its attempt not made: only then does the application listen.
  const script = `${PAY}
    for (;;) {
      const [first] = await deliveries()
      if (first?.status === 'attempting') break
      await new Promise(resolve => setImmediate(resolve))
    }
    const [endpoint] = (await account('/webhook-endpoints')).data
    console.log(endpoint.url)
    ${LISTEN(port, 'process.exit(7)')}`
  const { code, stdout, stderr } = await exec([
    '--forward-to',
    `localhost:${port}/hooks?a=1`,
    ...withControl(script),
  ]).ended
  expect({ code, stderr }).toEqual({ code: 7, stderr: '' })
  expect(stdout).toBe(`http://localhost:${port}/hooks?a=1\n/hooks?a=1 payment.succeeded true\n`)
})

test('--forward-to: reports that nothing listened, and keeps the status of the command', async () => {
  const port = await claimedPort()
  const { code, stderr } = await exec(['--forward-to', `http://localhost:${port}/hooks`, ...withControl(PAY)])
    .ended
  expect(code).toBe(0)
  expect(stderr).toBe(
    `paysim exec: nothing accepted connections at http://localhost:${port}: the webhooks for http://localhost:${port}/hooks were not delivered\n`,
  )
})

test.each(['localhost:x/hooks', 'ftp://localhost/hooks', 'http://a:b@localhost/hooks'])(
  '--forward-to %s is refused, and the command does not run',
  async url => {
    const { code, stdout, stderr } = await exec([
      '--forward-to',
      url,
      ...withControl("console.log('it ran')"),
    ]).ended
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('--forward-to')
  },
)

test('--keep: exports the account when the command fails, and a simulator can import it', async () => {
  const cwd = await folder()
  const script = `${PAY}
    const form = new FormData()
    form.append('file', new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)], { type: 'image/png' }), 'slip.png')
    await fetch(process.env.PAYSIM_CONTROL_URL + '/accounts/' + process.env.PAYSIM_ACCOUNT + '/assets', {
      method: 'POST', headers: { authorization: 'Bearer ' + process.env.PAYSIM_CONTROL_TOKEN }, body: form,
    })
    console.log(payment.id)
    process.exit(3)`
  const run = await exec(['--keep', 'left/behind', ...withControl(script)], { cwd }).ended
  expect(run.code, run.stderr).toBe(3)
  expect(run.stderr).toContain(join('left/behind', 'default.test.json'))

  const archive = JSON.parse(await readFile(join(cwd, 'left/behind/default.test.json'), 'utf8'))
  expect(Object.keys(archive.images)).toHaveLength(1)
  const server = await startServer({ args: ['--ephemeral'] })
  onTestFinished(async () => void (await server.stop()))
  expect((await server.control('PUT', '/accounts/default.test/import', { body: archive })).status).toBe(200)
  const payment = await server.control('GET', `/accounts/default.test/payments/${run.stdout.trim()}`)
  expect(payment.body).toMatchObject({ status: 'succeeded' })
})

test('--keep: exports nothing when the command succeeds; a failed export keeps the status', async () => {
  const cwd = await folder()
  expect((await exec(['--keep', 'kept', ...withControl('')], { cwd }).ended).code).toBe(0)
  expect(await readdir(cwd)).toEqual([])
  await writeFile(join(cwd, 'kept'), 'a file')
  const { code, stderr } = await exec(['--keep', 'kept', ...withControl('process.exit(5)')], { cwd }).ended
  expect(code).toBe(5)
  expect(stderr).toContain('paysim exec: cannot export the account: ')
})

const SHOP = `
  const paid = []
  require('node:http').createServer((request, response) => {
    let body = ''
    request.on('data', chunk => { body += chunk })
    request.on('end', () => {
      if (request.url === '/hooks') paid.push(JSON.parse(body).data.merchant_reference)
      response.end(JSON.stringify({ paid, run: process.env.PAYSIM_APP_RUN }))
    })
  }).listen(process.env.PORT)
  console.log('the shop is open')`

async function scenarioWithShop(more: Record<string, unknown> = {}): Promise<string> {
  const file = join(await folder(), 'shop.json')
  const app = { start: [process.execPath, '-e', SHOP], webhooks: '/hooks', ...more }
  await writeFile(file, JSON.stringify({ paysim: 1, name: 'a shop', app, steps: [] }))
  return file
}

test('the app of a --scenario file runs beside the command, and gets the webhooks', async () => {
  const script = `${PAY}
    for (;;) {
      const { paid, run } = await (await fetch(process.env.PAYSIM_APP_URL)).json()
      if (paid.length > 0) { console.log(paid.join(), run); break }
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    console.log(process.env.PAYSIM_APP_URL)
    process.exit(4)`
  const scenario = await scenarioWithShop()
  const { code, stdout, stderr } = await exec(['--scenario', scenario, ...withControl(script)]).ended
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('the shop is open') })
  expect(stdout).toMatch(/^order-1 exec\n/)
  await expect(fetch(stdout.trim().split('\n').at(-1) ?? '')).rejects.toThrow()
})

/** A shop that asks for one payment at the path that it is asked for, and passes the gateway's answer on. */
const CASHIER = `
  const { PORT, PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = process.env
  const authorization = 'Basic ' + Buffer.from(PAYSIM_PUBLIC_KEY + ':' + PAYSIM_SECRET_KEY).toString('base64')
  require('node:http').createServer(async (request, response) => {
    const answer = await fetch(PAYSIM_BASE_URL + request.url, {
      method: 'POST', headers: { authorization, 'content-type': 'application/json' }, body: '{}',
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') }).end(await answer.text())
  }).listen(PORT)`

test('the app of a --scenario file calls the gateway of --contract', async () => {
  const scenario = await scenarioWithShop({ start: [process.execPath, '-e', CASHIER] })
  const contract = join(await folder(), 'contract.json')
  await writeFile(contract, JSON.stringify({ 'create.path': '/v2/payments', 'errors.body': 'problem' }))
  const script = `
    for (const path of ['/v2/payments', '/payment_intents']) {
      const answer = await fetch(process.env.PAYSIM_APP_URL + path)
      console.log(answer.status, answer.headers.get('content-type').split(';')[0], (await answer.json()).code)
    }`
  const flags = ['--contract', contract, '--scenario', scenario]
  const { code, stdout, stderr } = await exec([...flags, ...node(script)]).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(
    '400 application/problem+json validation_failed\n404 application/problem+json not_found\n',
  )
})

test('exec ends before it runs the command when the app does not start', async () => {
  const file = await scenarioWithShop({ start: [process.execPath, '-e', 'process.exit(3)'] })
  const { code, stdout, stderr } = await exec(['--scenario', file, ...node(`console.log('ran')`)]).ended
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('ended with exit code 3 before it was ready')
  const both = await exec(['--scenario', file, '--forward-to', 'localhost:1', ...node('1')]).ended
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--forward-to and the app') })
})
