import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const RECORD = `import { recordStarts } from './build/record-starts.js'; await recordStarts('dist')`

/** A copy of the binary and its bundle, for tests that damage it. */
let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'paysim-compiled-'))
  for (const path of ['bin', 'build', 'dist', 'fixtures', 'package.json'])
    cpSync(path, join(root, path), { recursive: true })
  // The package may have been built by another Node.
  if (fileOfThisNode('call-') === undefined)
    execFileSync(process.execPath, ['--input-type=module', '-e', RECORD], { cwd: root })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Its file of what was compiled for one kind of start. */
function fileOfThisNode(kind: string): string | undefined {
  const folder = join(root, 'dist/compiled')
  const name = readdirSync(folder).find(name => name.startsWith(`${kind}${process.version}-`))
  return name && join(folder, name)
}

/** Notes what each file of the bundle is made from, and where texts are printed. */
const HOOK = `
const vm = require('node:vm')
const { Script } = vm
const seen = { used: [], refused: [], loaded: [], stacks: [] }
vm.Script = function (source, options) {
  const script = new Script(source, options)
  if (options.cachedData) seen[script.cachedDataRejected ? 'refused' : 'used'].push(options.filename)
  return script
}
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write
  stream.write = (...text) => (seen.stacks.push(new Error().stack), write.apply(stream, text))
}
process.on('exit', () => {
  seen.loaded = Object.keys(require.cache)
  require('node:fs').writeFileSync(process.env.SEEN, JSON.stringify(seen))
})
`

type Seen = Readonly<Record<'used' | 'refused' | 'loaded' | 'stacks', string[]>>

const { NODE_OPTIONS: _, ...environment } = process.env

function start(args: readonly string[], flags: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-compiled-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [hook, notes] = [join(folder, 'hook.cjs'), join(folder, 'seen.json')]
  writeFileSync(hook, HOOK)
  const command = [...flags, '--require', hook, join(root, 'bin/paysim.js'), ...args]
  const env = { ...environment, XDG_RUNTIME_DIR: folder, SEEN: notes }
  const { status, stdout, stderr }: SpawnSyncReturns<string> = spawnSync(process.execPath, command, {
    env,
    cwd: folder,
    encoding: 'utf8',
  })
  const { used, refused, loaded, stacks }: Seen = JSON.parse(readFileSync(notes, 'utf8'))
  return {
    output: { status, stdout, stderr },
    used: used.map(nameOf),
    refused: refused.map(nameOf),
    other: loaded.map(nameOf).filter(name => !used.map(nameOf).includes(name)),
    stack: stacks.join('\n'),
  }
}

/** The name of a file of the bundle, without its hash. */
const nameOf = (path: string) => /([\w-]+?)(?:-[\w-]{8})?\.c?js$/.exec(path)?.[1] ?? path

/** Loads what a server needs, and is refused before it listens. */
const SERVE = ['serve', '--json', '--watch']
const CALL = ['payments', 'get', '--help']
const UNKNOWN = ['nonsense']

test.for([
  ['a server', SERVE, ['cli', 'commander', 'server', 'contract', 'rules']],
  ['a call of a merchant', CALL, ['cli', 'commander', 'call', 'get']],
] as const)('%s starts with what was compiled when the package was built', ([, args, files]) => {
  const { used, refused, other } = start(args)
  expect(used).toEqual(expect.arrayContaining([...files]))
  expect(refused).toEqual([])
  expect(other.sort()).toEqual(['compiled', 'hook', 'paysim'])
})

test('what the first request loads was compiled, too', () => {
  const [index = ''] = readFileSync(fileOfThisNode('serve-') ?? '', 'latin1').split('\n', 1)
  expect(JSON.parse(index)).toContainEqual(expect.objectContaining({ name: 'ajv.cjs' }))
})

test('a command that was not recorded shares what was compiled for those that were', () => {
  const { used, other } = start(['payments', 'create', '--help'])
  expect(used).toContain('call')
  expect(other).toContain('create')
})

test('a file of the bundle that was changed is compiled again, even if it is as long as before', () => {
  const cli = join(root, 'dist/cli.cjs')
  const before = readFileSync(cli, 'utf8')
  onTestFinished(() => writeFileSync(cli, before))
  writeFileSync(cli, before.replace('unknown command', 'UNKNOWN COMMAND'))
  const { output, other } = start(UNKNOWN)
  expect(output.stderr).toContain('UNKNOWN COMMAND nonsense')
  expect(other).toContain('cli')
})

/** Changes bytes all over the file, so that no two changes are alike. */
function damagedFrom(bytes: Buffer, first: number): Buffer {
  const damaged = Buffer.from(bytes)
  for (let at = first; at < bytes.length; at += 20_011) damaged[at] = ~(damaged[at] ?? 0)
  return damaged
}

const DAMAGES: readonly [string, (bytes: Buffer) => Buffer][] = [
  ['empty', () => Buffer.alloc(0)],
  ['cut off', bytes => bytes.subarray(0, bytes.length / 2)],
  ['zeros from the middle on', bytes => Buffer.from(bytes).fill(0, bytes.length / 2)],
  ['something else', bytes => Buffer.concat([Buffer.from('[null]\n'), bytes])],
  ...[0, 1000, 2345, 5000, 12_345].map((first): [string, (bytes: Buffer) => Buffer] => [
    `damaged from byte ${first} on`,
    bytes => damagedFrom(bytes, first),
  ]),
]

test.for(DAMAGES)('what was compiled is not used if it is damaged: %s', ([, damage]) => {
  const good = start(CALL)
  expect(good.output).toMatchObject({ status: 0, stderr: '' })
  const path = fileOfThisNode('call-') ?? ''
  const before = readFileSync(path)
  onTestFinished(() => writeFileSync(path, before))
  writeFileSync(path, damage(before))
  const { output, used } = start(CALL)
  expect(output).toEqual(good.output)
  expect(used.length).toBeLessThan(good.used.length)
})

test('a Node with other flags compiles by itself, and so does one for which nothing was compiled', () => {
  const good = start(CALL)
  const withOthers = start(CALL, ['--no-lazy'])
  expect(withOthers.used).toEqual([])
  expect(withOthers.refused).toEqual(good.used)
  expect(withOthers.output).toEqual(good.output)
  const folder = join(root, 'dist/compiled')
  renameSync(folder, `${folder}-aside`)
  onTestFinished(() => renameSync(`${folder}-aside`, folder))
  const without = start(CALL)
  expect([...without.used, ...without.refused]).toEqual([])
  expect(without.output).toEqual(good.output)
})

test('a start leaves the package as it is', () => {
  const list = () => readdirSync(root, { recursive: true }).sort()
  const before = list()
  start(SERVE)
  start(CALL)
  expect(list()).toEqual(before)
})

test('a stack names the file of the bundle and the place in it', () => {
  const { stack, used } = start(UNKNOWN)
  expect(used).toContain('cli')
  const [, folder, line, column] = /\((.*)[\\/]dist[\\/]cli\.cjs:(\d+):(\d+)\)/.exec(stack) ?? []
  expect(['paysim', root]).toContain(folder)
  const text = readFileSync(join(root, 'dist/cli.cjs'), 'utf8').split('\n')[Number(line) - 1]
  expect(text?.slice(Number(column) - 1)).toMatch(/^write\(`paysim: /)
})
