import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import * as Type from '@sinclair/typebox'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Operations, readCalls } from '../../src/cli/clients/calls.ts'
import { declaredIn, generate } from '../../src/cli/clients/generate.ts'
import { KINDS, operationLists } from '../../src/cli/commands/client.ts'
import { BINARY } from '../support/paysim-binary.ts'

/** The clients of `paysim client`, each with the test runner of its language. */

interface Language {
  /** Programs that it needs, with arguments that show that they are there. */
  readonly needs: readonly (readonly [string, ...string[]])[]
  /** Where the client, its example and its suite (beside this file) are in a project. */
  readonly client: string
  readonly example: string
  readonly suite: readonly [from: string, to: string]
  readonly others: Readonly<Record<string, string>>
  /** Runs the tests of a file. */
  readonly run: (file: string) => readonly string[]
  /** Compiles the client, and runs what is outside of its functions if the language has such. */
  readonly compiles: readonly string[]
  /** Prints what is not formatted as the language has it. */
  readonly format: readonly string[]
  /** A program that finds or starts a simulator, prints the addresses of its control surface and of a receiver, and waits. */
  readonly waits: { readonly file: string; readonly text: string; readonly run: readonly string[] }
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: {
    // The system's Python has the packages of the system, pytest among them.
    needs: [
      ['/usr/bin/python3', '-m', 'pytest', '--version'],
      ['black', '--version'],
    ],
    client: 'paysim.py',
    example: 'test_payments.py',
    suite: ['suite.py', 'test_suite.py'],
    others: {},
    run: file => ['/usr/bin/python3', '-m', 'pytest', '-q', file],
    compiles: ['/usr/bin/python3', '-c', 'import paysim'],
    format: ['black', '--check', '--quiet', '--diff', '.'],
    waits: {
      file: 'waits.py',
      text: 'import sys\n\nfrom paysim import Simulator\n\nsimulator = Simulator.shared()\nprint(simulator.url, simulator.create_account().webhooks.url, flush=True)\nsys.stdin.read()\n',
      run: ['/usr/bin/python3', 'waits.py'],
    },
  },
  php: {
    needs: [
      ['phpunit', '--version'],
      ['phpcs', '--version'],
    ],
    client: 'tests/Paysim.php',
    example: 'tests/PaymentsTest.php',
    suite: ['suite.php', 'tests/SuiteTest.php'],
    others: {},
    run: file => ['phpunit', '--bootstrap', 'tests/Paysim.php', file],
    compiles: ['php', 'tests/Paysim.php'],
    // One file has several classes, in which it is no PSR-4.
    format: ['phpcs', '-q', '--standard=PSR12', '--exclude=PSR1.Classes.ClassDeclaration', 'tests'],
    waits: {
      file: 'waits.php',
      text: "<?php\n\nrequire __DIR__ . '/tests/Paysim.php';\n\n$simulator = Paysim\\Simulator::shared();\necho $simulator->url, ' ', $simulator->createAccount()->webhooks->url, PHP_EOL;\nfgets(STDIN);\n",
      run: ['php', 'waits.php'],
    },
  },
  go: {
    needs: [['go', 'version']],
    client: 'paysim/paysim.go',
    example: 'payments_test.go',
    suite: ['suite.go', 'suite_test.go'],
    others: { 'go.mod': 'module example.test/shop\n\ngo 1.18\n' },
    run: file => ['go', 'test', '-count=1', file],
    format: ['gofmt', '-d', '.'],
    compiles: ['go', 'build', './paysim'],
    waits: {
      file: 'waits/main.go',
      text: 'package main\n\nimport (\n\t"fmt"\n\t"os"\n\n\t"example.test/shop/paysim"\n)\n\nfunc main() {\n\tsimulator := paysim.Must(paysim.Shared())\n\taccount := paysim.Must(simulator.CreateAccount("test", paysim.CreateMerchantRequest{}))\n\tfmt.Println(simulator.URL, account.Webhooks.URL)\n\tos.Stdin.Read(make([]byte, 1))\n}\n',
      // `go run` would stay between.
      run: ['sh', '-c', 'go build -o waiting ./waits && exec ./waiting'],
    },
  },
}

const here = dirname(fileURLToPath(import.meta.url))

describe.each(Object.entries(LANGUAGES))('the client in %s', (name, language) => {
  const missing = language.needs.find(needed => !isThere(needed))?.[0]
  if (missing !== undefined) {
    console.log(`the client in ${name} is not tested: there is no ${missing} on this machine`)
    test.skip(`there is no ${missing} on this machine`)
    return
  }

  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `paysim-client-${name}-`))
    const { client, example, suite, others, waits } = language
    for (const file of [client, example, suite[1], waits.file])
      await mkdir(join(folder, dirname(file)), { recursive: true })
    paysim('client', name, '--out', join(folder, client))
    await writeFile(join(folder, example), paysim('client', name, '--example'))
    await copyFile(join(here, suite[0]), join(folder, suite[1]))
    for (const [file, text] of Object.entries({ ...others, [waits.file]: waits.text }))
      await writeFile(join(folder, file), text)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('its example passes under paysim exec', async () => {
    const { code, output } = await run([BINARY, 'exec', '--', ...language.run(language.example)], folder)
    expect(code, output).toBe(0)
  })

  test('its whole suite passes with a simulator that it starts', async () => {
    const { code, output } = await run(language.run(language.suite[1]), folder)
    expect(code, output).toBe(0)
  })

  test('is formatted as its language has it, and so are example and suite', async () => {
    const { code, output } = await run(language.format, folder)
    expect({ code, output }).toEqual({ code: 0, output: '' })
  })

  test('a text of the lists cannot become code, whatever it says', async () => {
    const { template, language: to } = KINDS[name as keyof typeof KINDS]
    const text = await readFile(join(here, '../../src/cli/clients', template), 'utf8')
    const own = readCalls(operationLists(), declaredIn(text))
    const evil = readCalls(
      evilLists(),
      new Set([...declaredIn(text), ...own.records.map(({ name }) => name)]),
    )
    const both = {
      ...own,
      account: [...own.account, ...evil.account],
      records: [...own.records, ...evil.records],
    }
    const file = join(folder, language.client)
    const before = await readFile(file, 'utf8')
    onTestFinished(() => writeFile(file, before))
    await writeFile(file, generate(text, to, both, `1${EVIL.join('')}`))
    const { code, output } = await run(language.compiles, folder)
    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(existsSync(join(folder, 'taken'))).toBe(false)
  })

  test('its simulator and its receiver end with their parent, even if that is killed', async () => {
    // The command has words, one of them quoted, as where it is `npx --no paysim`.
    const PAYSIM_COMMAND = `"${process.execPath}" ${BINARY}`
    const { child, line } = await start(language.waits.run, folder, { PAYSIM_COMMAND })
    const [control, webhooks = ''] = line.split(' ')
    const addresses = [`${control}/health`, webhooks]
    const answers = () =>
      Promise.all(
        addresses.map(url =>
          fetch(url).then(
            () => 'answers',
            () => 'gone',
          ),
        ),
      )
    expect(await answers()).toEqual(['answers', 'answers'])
    child.kill('SIGKILL')
    await expect.poll(answers).toEqual(['gone', 'gone'])
  })

  test('refuses a simulator of another major version', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end('{"status":"ok","version":"99.1.0"}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const env = { PAYSIM_BASE_URL: url, PAYSIM_CONTROL_URL: url, PAYSIM_CONTROL_TOKEN: 'token' }
    const { code, output } = await run(language.waits.run, folder, env)
    server.close()
    expect(code).not.toBe(0)
    expect(output).toContain('paysim 99.1.0')
  })
})

/** What would be code if a text ended too early. */
const EVIL = [
  ...[
    '"',
    "'",
    '`',
    '"""',
    "'''",
    '\\',
    '\\"',
    '*/',
    '?>',
    '\n',
    '\r',
    '\u2028',
    '\0',
    '${',
    '#{',
    '{$',
    '%s',
  ],
  ...['class', 'self', '0', 'ä', '😀', '\ud800', ' // paysim: types\n'],
  "\nopen('taken', 'w')\n",
  "*/ touch('taken'); /*",
  "'; touch('taken'); '",
  '"; touch("taken"); "',
  '\n}\nfunc init() { panic("taken") }\n',
  '`+"` + panic("taken") + `',
]

/** Lists in which every text that somebody can choose is one of those. */
function evilLists(): Operations {
  const all = EVIL.join('')
  const record = (title: string) =>
    Type.Object(
      Object.fromEntries(
        EVIL.map((text, at) => [text, Type.Unsafe<string>({ type: 'string', enum: EVIL.slice(at) })]),
      ),
      { title, description: all },
    )
  const control = EVIL.map((text, at) => [
    `GET /accounts/:account/${text.replaceAll(/[ :]/g, '')}/:id`,
    {
      id: text,
      summary: all,
      query: { [text]: Type.String({ description: all }) },
      headers: { [all + at]: Type.String() },
      body: { json: record(all) },
      answers: { 200: record(text) },
    },
  ])
  return { merchant: [], resources: {}, control: Object.fromEntries(control) }
}

function isThere([file, ...args]: readonly [string, ...string[]]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const paysim = (...args: string[]) =>
  execFileSync(BINARY, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })

function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PAYSIM_'))
  const run = { PAYSIM_SERVER_OF_TEST_RUN: process.env.PAYSIM_TEST_RUN }
  return { ...Object.fromEntries(others), ...run, PAYSIM_COMMAND: BINARY, ...more }
}

const begin = ([file = '', ...args]: readonly string[], cwd: string, env: NodeJS.ProcessEnv) =>
  spawn(file, args, { cwd, env: environment(env) })

async function run(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const child = begin(command, cwd, env)
  child.stdin.end()
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  const [code] = await once(child, 'close')
  return { code: code as number | null, output }
}

/** The first line that it prints. */
async function start(command: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = begin(command, cwd, env)
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  const ended = once(child, 'close').then(() => {
    throw new Error(`it ended before it printed a line: ${said}`)
  })
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended])
  ended.catch(() => {})
  return { child, line: String(line) }
}
