import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { isBuiltin } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import ts from 'typescript'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { noticesIn, packagesImportedBy } from '../support/package/notices.ts'
import { type Packed, packAndUnpack } from '../support/package/packed.ts'
import { servePacked } from '../support/package/serve-packed.ts'
import { filesBelow } from '../support/structure/files-below.ts'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const execute = promisify(execFile)
/** .ci/run runs the package on the oldest Node that package.json allows. */
const NODE = process.env.PAYSIM_SMOKE_NODE ?? process.execPath

interface Lock {
  readonly packages: Readonly<Record<string, { version?: string; license?: string; dev?: boolean }>>
}

let packed: Packed
let binary: string
beforeAll(() => {
  packed = packAndUnpack()
  binary = join(packed.root, manifest.bin.paysim)
}, 120_000)
afterAll(() => rmSync(packed.directory, { recursive: true, force: true }))

test('the package contains what a user needs and nothing else', () => {
  const published = ['LICENSE', 'README.md', 'bin', 'dist', 'docs', 'fixtures', 'llms.txt', 'package.json']
  const scenarios = filesBelow('scenarios').length > 0 ? ['scenarios'] : []
  expect(readdirSync(packed.root).sort()).toEqual([...published, ...scenarios])
  const files = new Set(filesBelow(packed.root).map(path => path.slice(packed.root.length + 1)))
  for (const folder of ['bin', 'docs', 'fixtures', 'scenarios'])
    for (const path of filesBelow(folder))
      if (!path.startsWith('docs/generate')) expect(files).toContain(path)
  expect(
    [...files].filter(path => /(^|\/)(test|src|node_modules|binary)\/|\.test\.|\.map$/.test(path)),
  ).toEqual([])
})

test('the package installs nothing that runs: all code is bundled, with third-party licences', () => {
  const textOf = (extension: string) =>
    filesBelow(join(packed.root, 'dist'))
      .filter(path => path.endsWith(extension))
      .map(path => readFileSync(path, 'utf8'))
      .join('\n')
  const required = textOf('.cjs').matchAll(/\brequire\(["'`]([^"'`.][^"'`]*)["'`]\)/g)
  const imported = textOf('.js').matchAll(/\b(?:from|import)\s*\(?["']([@a-z][^"'\s]*)["']/g)
  const loaded = [...required, ...imported].map(([, name = '']) => name)
  const foreign = new Set(loaded.filter(name => !name.startsWith('node:') && !isBuiltin(name)))
  // Neither is loaded: the driver of PostgreSQL has another one that is asked for by name, and Ajv can write such code.
  expect(
    [...foreign].filter(name => !/^(pg-native$|ajv\/dist\/runtime\/|ajv-formats\/dist\/formats$)/.test(name)),
  ).toEqual([])
  // Its types are part of ours. Exact, or a later version would be installed untried.
  expect(manifest.dependencies).toEqual({ '@sinclair/typebox': expect.stringMatching(/^\d+\.\d+\.\d+$/) })
})

test('each bundled or installed package has a licence that docs/security.md allows', () => {
  const { packages }: Lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const locked = Object.entries(packages).map(([path, one]) => ({
    name: path.split('node_modules/').at(-1),
    ...one,
  }))
  const notices = noticesIn(readFileSync(join(packed.root, 'dist/third-party-licences.txt'), 'utf8'))
  for (const { name, version, licence, text } of notices) {
    expect(locked).toContainEqual(expect.objectContaining({ name, version, license: licence }))
    expect(text, name).not.toBe('')
  }
  const sources = filesBelow('src').filter(path => /\.tsx?$/.test(path))
  const imported = new Set(sources.flatMap(path => packagesImportedBy(readFileSync(path, 'utf8'))))
  expect(imported.size).toBeGreaterThan(20)
  expect(notices.map(({ name }) => name)).toEqual(expect.arrayContaining([...imported]))
  const installed = locked.filter(({ name, dev }) => name !== '' && !dev)
  expect(installed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(Object.keys(manifest.dependencies)),
  )
  const row =
    /^\| Every package.*licences?: (.*?)[;|]/m.exec(readFileSync('docs/security.md', 'utf8'))?.[1] ?? ''
  const allowed = [...row.matchAll(/`([^`]+)`/g)].map(([, licence]) => licence)
  const licences = [...notices.map(({ licence }) => licence), ...installed.map(({ license }) => license)]
  expect([...new Set(licences)].sort()).toEqual(allowed)
})

test('the package has no script that npm runs at installation', () => {
  const { scripts } = JSON.parse(readFileSync(join(packed.root, 'package.json'), 'utf8'))
  const atInstallation = [
    'preinstall',
    'install',
    'postinstall',
    'prepublish',
    'preprepare',
    'prepare',
    'postprepare',
  ]
  expect(Object.keys(scripts).filter(name => atInstallation.includes(name))).toEqual([])
  expect(existsSync(join(packed.root, 'binding.gyp'))).toBe(false)
})

test('paysim starts with nothing installed beside it', async () => {
  expect(existsSync(join(packed.root, 'node_modules'))).toBe(false)
  const { stdout } = await execute(NODE, [binary, '--version'])
  expect(stdout).toBe(`${manifest.version}\n`)
  const { stdout: document } = await execute(NODE, [binary, 'openapi'])
  expect(JSON.parse(document)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) })
})

test('the package serves a payment and its webhook, and ends with 0 on SIGTERM', async () => {
  const received = await receiver()
  const { ready, stop } = await servePacked([NODE, binary, 'serve', '--ephemeral'])
  onTestFinished(async () => void (await stop()))
  expect(ready.event).toBe('ready')
  const [account] = ready.accounts
  const control = caller(`${ready.control_url}/accounts/${account?.id}`, `Bearer ${ready.control_token}`)
  const keys = Buffer.from(`${account?.public_key}:${account?.secret_key}`).toString('base64')
  await control('/webhook-endpoints', { url: received.url })
  const payment = await caller(ready.url, `Basic ${keys}`)('/payment_intents', {
    amount: '15000',
    currency: 'THB',
    country: 'TH',
    payment_method: 'th_promptpay',
    merchant_reference: 'order-1',
    customer: {},
  })
  await control(`/payments/${payment.id}/succeed`, {})
  expect(JSON.parse(await received.first)).toMatchObject({
    type: 'payment.succeeded',
    data: { id: payment.id },
  })
  expect(await stop()).toEqual({ code: 0, stderr: '' })
})

const CONSUMER = `import * as paysim from 'paysim'
import { type AccountSettings, createClient, defineScenario, startSimulator, type Webhooks } from 'paysim'
// @ts-expect-error: types that allow this would be none
import { aNameThatItDoesNotHave } from 'paysim'
export const used = [paysim, aNameThatItDoesNotHave]

export async function pay(settings: AccountSettings, order: paysim.CreatePayment): Promise<string> {
  await using sim = await startSimulator({ seed: 1, clock: 'virtual' })
  await using account = await sim.createAccount(settings)
  const { baseUrl, publicKey, secretKey } = account
  const client = createClient({ baseUrl, publicKey, secretKey })
  const payment = await client.payments.create(order, { idempotencyKey: 'order-1' })
  await account.clock.advance('5s')
  await client.payments.wait(payment.id, { signal: AbortSignal.timeout(1000) })
  const webhooks: Webhooks = account.webhooks
  const { headers, data } = await webhooks.next({ type: 'payment.succeeded' }, { timeoutMs: 1000 })
  return String(headers['webhook-id']) + data.id
}
export const story: paysim.Scenario = defineScenario({ paysim: 1, name: 'a story', steps: [{ advance: '5s' }] })
`

const NODE_MODULES = { module: 'nodenext', moduleResolution: 'nodenext' }
const BUNDLER = { module: 'esnext', moduleResolution: 'bundler' }
const COMMONJS = { module: 'commonjs', moduleResolution: 'node10' }
// Neither `lib: esnext` nor the browser's types are needed.
const ONLY_ES2022 = { target: 'es2022', lib: ['es2022'] }

// A .cts file is one of a package of CommonJS: what it imports is required.
test.each([
  ['consumer.ts', { ...NODE_MODULES, target: 'es2022' }],
  ['consumer.ts', { ...NODE_MODULES, ...ONLY_ES2022, types: [], exactOptionalPropertyTypes: true }],
  ['consumer.ts', { ...BUNDLER, ...ONLY_ES2022, types: ['node'] }],
  ['consumer.cts', { module: 'node16', moduleResolution: 'node16', target: 'es2022' }],
  ['consumer.ts', { ...COMMONJS, ...ONLY_ES2022, types: ['node'], esModuleInterop: false }],
])(
  'the types compile in a strict project that imports the package: %s with %j',
  (consumer, options) => {
    const project = projectWith(packed)
    writeFileSync(join(project, consumer), CONSUMER)
    expect(typeProblems(join(project, consumer), { ...options, strict: true, noEmit: true })).toEqual([])
  },
  120_000,
)

test('two public checkers of packages find nothing', async () => {
  const tarball = readFileSync(packed.tarball)
  const types = await checkPackage(createPackageFromTarballData(tarball))
  expect(types).toMatchObject({ packageName: 'paysim', types: { kind: 'included' }, problems: [] })
  const { buffer, byteOffset, byteLength } = tarball
  const fields = await publint({
    pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) },
    strict: true,
  })
  expect(fields).toMatchObject({ pkg: { name: 'paysim' }, messages: [] })
})

const sourceFiles = new Map<string, ts.SourceFile | undefined>()

/** What the compiler says of the consumer and of our declarations. It leaves out TypeScript's and Node's own. */
function typeProblems(consumer: string, compilerOptions: object): string[] {
  const project = dirname(consumer)
  const { options, errors } = ts.convertCompilerOptionsFromJson(compilerOptions, project)
  const host = ts.createCompilerHost(options)
  host.getCurrentDirectory = () => project
  const read = host.getSourceFile
  // All of them have the same target, so a file is parsed once for each kind of module that it can be.
  host.getSourceFile = (path, target, ...more) => {
    const key = `${path} ${JSON.stringify(target)}`
    if (!sourceFiles.has(key)) sourceFiles.set(key, read(path, target, ...more))
    return sourceFiles.get(key)
  }
  const program = ts.createProgram([consumer], options, host)
  const ours = program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(project) && !fileName.includes('@types/node'))
  expect(ours.length, 'the consumer, and the declarations that it imports').toBeGreaterThan(10)
  const problems = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap(file => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ]
  return ts
    .formatDiagnostics(problems, { ...host, getCurrentDirectory: () => project })
    .split('\n')
    .filter(line => line !== '')
}

test('the types include no type of the server', async () => {
  const entry = join(packed.root, manifest.types)
  expect([...reachableFrom(entry)].filter(path => /types\/(engine|server|cli)\//.test(path))).toEqual([])
})

/** The declarations that a project has to read: those that this one imports, and so on. */
function reachableFrom(declaration: string, seen = new Set<string>()): Set<string> {
  if (seen.has(declaration)) return seen
  seen.add(declaration)
  for (const [, path = ''] of readFileSync(declaration, 'utf8').matchAll(
    /(?:from |import\()['"](\.[^'"]+)['"]/g,
  ))
    reachableFrom(join(dirname(declaration), path.replace(/\.[jt]s$/, '.d.ts')), seen)
  return seen
}

test('a project can import or require the package, and gets the same', async () => {
  const project = projectWith(packed)
  const code = `
    import * as imported from 'paysim'
    import { createRequire } from 'node:module'
    const required = createRequire(process.cwd() + '/')('paysim')
    const simulator = await required.startSimulator()
    await simulator.stop()
    const names = Object.keys(imported).filter(name => imported[name] === required[name])
    console.log(names.length, Object.keys(required).length)`
  const { stdout } = await execute(NODE, ['--input-type=module', '-e', code], { cwd: project })
  const [same, all] = stdout.trim().split(' ')
  expect(Number(same)).toBeGreaterThan(0)
  expect(same).toBe(all)
})

/** A project that has the package and, as npm would have put there, what the package depends on. */
function projectWith({ directory, root }: Packed): string {
  const project = join(realpathSync(directory), 'project')
  if (existsSync(project)) return project
  const installed = (name: string) => join(project, 'node_modules', name)
  cpSync(root, installed('paysim'), { recursive: true })
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) {
    mkdirSync(dirname(installed(name)), { recursive: true })
    symlinkSync(join(process.cwd(), 'node_modules', name), installed(name), 'junction')
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return project
}

/** What a merchant's server would hear first. */
async function receiver(): Promise<{ url: string; first: Promise<string> }> {
  const server = createServer()
  onTestFinished(() => void server.close())
  const first = new Promise<string>(resolve => {
    server.on('request', async (request, response) => {
      const body = await request.toArray()
      response.end()
      resolve(Buffer.concat(body).toString())
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, first }
}

function caller(base: string, authorization: string) {
  return async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(response.status, text).toBeLessThan(300)
    return JSON.parse(text)
  }
}
