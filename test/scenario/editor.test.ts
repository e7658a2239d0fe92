import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERBS } from '../../src/scenario/verbs/index.ts'

/** What an editor with the YAML language server shows in a scenario: the server itself is asked, as an editor asks it. */

const require = createRequire(import.meta.url)
const SERVER = require.resolve('yaml-language-server/bin/yaml-language-server')
const SCHEMA = pathToFileURL(fileURLToPath(new URL('../../scenarios/schema.json', import.meta.url)))

interface Message {
  id?: number
  method?: string
  params?: { uri: string; diagnostics: { message: string }[]; items: { section: string }[] }
  result?: { items: { label: string }[] } | null
}

class LanguageServer {
  readonly #child: ChildProcessWithoutNullStreams = spawn(process.execPath, [SERVER, '--stdio'])
  readonly #waiting = new Map<number | string, (message: Message) => void>()
  #received = Buffer.alloc(0)
  #asked = 0

  constructor() {
    this.#child.stdout.on('data', (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data])
      for (let message = this.#next(); message; message = this.#next()) this.#take(message)
    })
  }

  #next(): Message | undefined {
    const head = this.#received.indexOf('\r\n\r\n')
    if (head === -1) return undefined
    const length = Number(/Content-Length: (\d+)/.exec(this.#received.toString('latin1', 0, head))?.[1])
    const end = head + 4 + length
    if (this.#received.length < end) return undefined
    const text = this.#received.toString('utf8', head + 4, end)
    this.#received = this.#received.subarray(end)
    return JSON.parse(text)
  }

  #take(message: Message): void {
    const { id, method, params } = message
    if (method === 'textDocument/publishDiagnostics') this.#waiting.get(params?.uri ?? '')?.(message)
    else if (method === undefined) this.#waiting.get(id ?? '')?.(message)
    else if (id !== undefined) this.#send({ id, result: params?.items?.map(settingsOf) ?? null })
  }

  #send(message: object): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }

  ask(method: string, params: object): Promise<Message> {
    const id = ++this.#asked
    this.#send({ id, method, params })
    return new Promise(resolve => this.#waiting.set(id, resolve))
  }

  tell(method: string, params: object): void {
    this.#send({ method, params })
  }

  /** Opens a file; `|` is the cursor. */
  async look(steps: string): Promise<{ offered: string[]; problems: string[] }> {
    const marked = `# yaml-language-server: $schema=${SCHEMA}\npaysim: 1\nname: a story\nsteps:\n${steps}`
    const lines = marked.slice(0, marked.indexOf('|')).split('\n')
    const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 }
    const uri = `file:///scenarios/${++this.#asked}.yaml`
    const checked = new Promise<Message>(resolve => this.#waiting.set(uri, resolve))
    const text = marked.replace('|', '')
    this.tell('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
    const problems = (await checked).params?.diagnostics ?? []
    const { result } = await this.ask('textDocument/completion', { textDocument: { uri }, position })
    return {
      offered: (result?.items ?? []).map(({ label }) => label),
      problems: problems.map(({ message }) => message),
    }
  }

  async stop(): Promise<void> {
    this.#child.kill()
    await once(this.#child, 'exit')
  }
}

/** No schemas but the one that the file names. */
const settingsOf = ({ section }: { section: string }) =>
  section === 'yaml' ? { validate: true, completion: true, schemaStore: { enable: false } } : null

let server: LanguageServer
beforeAll(async () => {
  server = new LanguageServer()
  const capabilities = { workspace: { configuration: true } }
  await server.ask('initialize', { processId: process.pid, rootUri: null, capabilities })
  server.tell('initialized', {})
})
afterAll(() => server.stop())

test('a new step offers all verbs and nothing else', async () => {
  for (const steps of ['  - |\n', '  - repeat: 2\n    steps:\n      - |\n'])
    expect((await server.look(steps)).offered.sort()).toEqual([...VERBS.keys()].sort())
})

test('a creation offers the members of a payment that it does not have yet', async () => {
  const { offered } = await server.look('  - create payment:\n      amount: "100"\n      |\n')
  expect(offered).toEqual(expect.arrayContaining(['currency', 'country', 'customer', 'merchant_reference']))
  expect(offered).not.toContain('amount')
  const within = await server.look('  - create payment:\n      customer:\n        |\n')
  expect(within.offered.sort()).toEqual(['email', 'name', 'phone'])
})

test('a step offers what its verb takes beside it', async () => {
  const { offered, problems } = await server.look('  - submit receipt: x\n    |\n')
  expect(offered).toEqual(expect.arrayContaining(['image', 'key', 'expect']))
  expect(offered).not.toContain('within')
  expect(problems).toEqual([])
})

test('a wrong verb says which verbs there are, and a wrong member which one it is', async () => {
  const { problems } = await server.look('  - craete payment:\n      amount: "100"|\n')
  expect(problems).toEqual([expect.stringContaining('Valid values: "list methods", "create payment"')])
  const another = await server.look('  - advance: 5s\n    dleay: 1s|\n')
  expect(another.problems).toEqual(['Property dleay is not allowed.'])
})

test('a value that breaks a rule of the gateway is no problem: a scenario may send it', async () => {
  const { problems } = await server.look('  - create payment: { amount: -1, sum: 2 }|\n')
  expect(problems).toEqual([])
})
