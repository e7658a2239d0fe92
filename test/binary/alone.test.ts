import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { execa, execaSync } from 'execa'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { servePacked } from '../support/package/serve-packed.ts'
import { BINARY } from '../support/paysim-binary.ts'

// The executable file for this machine, alone in an empty folder, with an empty environment: no Node is to be found.

const HOST = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const FILE = `dist/binary/paysim-${HOST}${process.platform === 'win32' ? '.exe' : ''}`
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

const folder = mkdtempSync(join(tmpdir(), 'paysim-alone-'))
const binary = join(folder, 'paysim')
const alone = { cwd: folder, env: {}, extendEnv: false }

beforeAll(() => copyFileSync(FILE, binary))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function paysim(...args: string[]) {
  const { exitCode, stdout, stderr } = await execa(binary, args, { ...alone, reject: false })
  return { code: exitCode, stdout, stderr }
}

const bareNode = () => {
  const [name = ''] = readdirSync('node_modules/.cache/paysim').filter(name =>
    name.startsWith(`node-${HOST}-`),
  )
  return join('node_modules/.cache/paysim', name, 'node_modules', `node-${HOST}`, 'bin/node')
}

test('says its version and that of the Node inside, and writes nothing', async () => {
  const node = execFileSync(bareNode(), ['--version'], { encoding: 'utf8' }).trim().slice(1)
  expect(await paysim('--version')).toEqual({ code: 0, stdout: `${version} (Node ${node})`, stderr: '' })
  expect(readdirSync(folder)).toEqual(['paysim'])
})

test('says so in at most 2.5 times the processor time of a bare Node of that version', () => {
  // The least of several: what else the machine does only adds to it.
  const least = (command: string) => {
    const script = `TIMEFORMAT='%U %S'; for _ in 1 2 3 4 5 6 7; do time ${command} > /dev/null; done`
    const { stderr } = execaSync('bash', ['-c', script])
    const times = stderr.split('\n').map(line => line.split(' ').map(Number))
    expect(times).toHaveLength(7)
    return Math.min(...times.map(([user = 0, system = 0]) => user + system))
  }
  expect(least(`${binary} --version`) / least(`${bareNode()} -e 0`)).toBeLessThanOrEqual(2.5)
})

describe('a server', () => {
  let server: Awaited<ReturnType<typeof servePacked>>
  beforeAll(async () => {
    server = await servePacked([binary, 'serve'], alone)
  })
  afterAll(() => server.stop())

  const get = async (url: string) => {
    const response = await fetch(new URL(url, server.ready.url))
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    }
  }

  /** What a page loads; every one of it must be there. */
  async function loadedBy(page: string): Promise<string[]> {
    const { status, text } = await get(page)
    expect({ page, status }, text).toEqual({ page, status: 200 })
    const urls = [...text.matchAll(/<(?:link|script)\b[^>]*\b(?:href|src)="([^"]+)"/g)].map(
      ([, url = '']) => url,
    )
    const loaded = await Promise.all(urls.map(get))
    expect(loaded.map(file => file.status)).toEqual(urls.map(() => 200))
    expect(loaded.every(({ text }) => text !== '')).toBe(true)
    return loaded.map(({ type }) => type?.split(';')[0] ?? '').sort()
  }

  const FILES = ['image/svg+xml', 'text/css', 'text/javascript']

  test('takes a payment, and has its pages with styles and scripts', async () => {
    const { ready } = server
    const [account] = ready.accounts
    const keys = Buffer.from(`${account?.public_key}:${account?.secret_key}`).toString('base64')
    const answer = await fetch(`${ready.url}/payment_intents`, {
      method: 'POST',
      headers: { authorization: `Basic ${keys}`, 'content-type': 'application/json' },
      body: '{"amount":"15000","currency":"THB","country":"TH","merchant_reference":"order-1","customer":{}}',
    })
    const { next_action: action } = JSON.parse(await answer.text())
    expect(answer.status).toBe(201)
    expect(await loadedBy(action.url)).toEqual(FILES)
    expect(await loadedBy('/_paysim/dashboard/')).toEqual(FILES)
    expect((await get('/_paysim/dashboard/assets/none.js')).status).toBe(404)
  })

  test('writes what was done as a scenario', async () => {
    const order = ['--amount', '100.00 THB', '--country', 'TH', '--merchant-reference', 'order-2']
    const { stdout: id } = await paysim('payments', 'create', ...order, '--query', 'id')
    const { code, stdout, stderr } = await paysim('scenario', 'from', id)
    expect({ code }, stderr).toEqual({ code: 0 })
    expect(stdout).toContain('order-2')
  })

  test('is found by the commands of the same folder', async () => {
    expect(await paysim('health')).toEqual({ code: 0, stdout: 'ready', stderr: '' })
    expect((await paysim('methods', 'list', '--amount', '100.00 THB', '--country', 'TH')).stdout).toContain(
      'th_promptpay',
    )
  })

  test('ends with 0 on SIGTERM', async () => {
    expect(await server.stop()).toEqual({ code: 0, stderr: '' })
  })
})

test('has the schema and the examples, and runs one', async () => {
  const { stdout } = await paysim('scenario', 'schema')
  const schema = readFileSync('scenarios/schema.json', 'utf8')
  expect(JSON.parse(stdout)).toEqual(JSON.parse(schema))
  const example = 'receipt-from-an-asset'
  const created = await paysim('scenario', 'new', 'receipts/story.yaml', '--example', example)
  expect(created, created.stderr).toMatchObject({ code: 0 })
  // The receipts that the story sends, and the schema for editors.
  expect(readdirSync(join(folder, 'receipts')).sort()).toEqual([
    'paysim.schema.json',
    'receipts',
    'story.yaml',
  ])
  expect(readFileSync(join(folder, 'receipts/paysim.schema.json'), 'utf8')).toBe(schema)
  expect(readFileSync(join(folder, 'receipts/story.yaml'), 'utf8')).toMatch(
    /^# yaml-language-server: \$schema=\.\/paysim\.schema\.json\n/,
  )
  // The second file of many is played by another process, which is the executable file too.
  copyFileSync(join(folder, 'receipts/story.yaml'), join(folder, 'receipts/another.yaml'))
  const run = await paysim('run', 'receipts', '--repeat', '25', '--jobs', '2')
  expect(run, run.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('50 scenarios passed') })
})

test.each(['python', 'php', 'go'])('prints the client for %s, as the package does', async language => {
  const { stdout } = await execa(process.execPath, [BINARY, 'client', language])
  expect(await paysim('client', language)).toEqual({ code: 0, stdout, stderr: '' })
})

test('explores a shop', async () => {
  await paysim('scenario', 'new', '--example', 'explore')
  // The shop is the merchant's: here, it is a program of the Node that runs the tests, by its path.
  const shop = [process.execPath, join('explore', 'shop.mjs')]
  const explored = await paysim('explore', 'explore/orders.yaml', '--only', 'webhook-twice', '--', ...shop)
  expect(explored.code, explored.stdout + explored.stderr).toBe(0)
})

test('serves an agent, which finds the docs inside', async () => {
  const client = new Client({ name: 'agent', version: '1' })
  const call = ['-i', binary, 'mcp', '--start']
  await client.connect(new StdioClientTransport({ command: 'env', args: call, cwd: folder, stderr: 'pipe' }))
  onTestFinished(() => client.close())
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['status', 'why', 'create_payment']))
  const { contents } = await client.readResource({ uri: 'paysim://docs/api.md' })
  expect(contents).toEqual([expect.objectContaining({ text: readFileSync('docs/api.md', 'utf8') })])
})

test('names itself where something else has to start it', async () => {
  const { mcpServers } = JSON.parse((await paysim('mcp', '--config', '--start')).stdout)
  expect(mcpServers).toEqual({ paysim: { command: binary, args: ['mcp', '--start'] } })
  expect((await paysim('completion', 'bash')).stdout).toContain(`run=(${binary})`)
})
