import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { plainCatalogue } from '../../support/gateway/probe-catalogue.ts'
import { scratchDirectory, serveUntilExit } from '../../support/gateway/serve-process.ts'

/** One clear line, exit 1 or 2, no stack trace, nothing on stdout; the line names the cause. */
async function expectStartError(args: string[], names: RegExp) {
  const { code, stdout, stderr } = await serveUntilExit(['--json', ...args])
  expect({ code, stdout }, stderr).toEqual({ code: expect.toBeOneOf([1, 2]), stdout: '' })
  expect(stderr).not.toMatch(/^\s+at |node:internal|Unhandled/m)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(names)
}

async function expectFileError(flag: string, text: string, names: RegExp, extension = 'json') {
  const file = join(await scratchDirectory(), `given.${extension}`)
  await writeFile(file, text)
  await expectStartError(['--port', '0', '--ephemeral', flag, file], names)
}

test('the start fails if a port is in use', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void occupant.close())
  await new Promise(resolve => occupant.once('listening', resolve))
  const address = occupant.address()
  const port = typeof address === 'object' ? String(address?.port) : ''
  const taken = (name: string) => ({ code: 2, stderr: expect.stringMatching(`: ${name} ${port} .*in use`) })
  expect(await serveUntilExit(['--ephemeral', '--port', port])).toMatchObject(taken('port'))
  const control = ['--ephemeral', '--port', '0', '--control-port', port]
  expect(await serveUntilExit(control)).toMatchObject(taken('control port'))
})

describe('the start fails if the data directory', () => {
  test('is a file', async () => {
    const file = join(await scratchDirectory(), 'file')
    await writeFile(file, 'not a directory')
    await expectStartError(['--port', '0', '--data', file], /file/)
  })

  test('is under a file', async () => {
    const file = join(await scratchDirectory(), 'file')
    await writeFile(file, 'not a directory')
    await expectStartError(['--port', '0', '--data', join(file, 'data')], /file/)
  })

  test.skipIf(process.platform !== 'linux')('cannot be created', async () => {
    await expectStartError(['--port', '0', '--data', '/sys/paysim'], /\/sys\/paysim/)
  })
})

// What each decision takes is in resolve-contract.test.ts.
describe('the start fails if the contract file', () => {
  test('does not exist', () =>
    expectStartError(
      ['--port', '0', '--ephemeral', '--contract', '/no/such/contract.json'],
      /contract\.json/,
    ))

  test.each<[string, string, RegExp]>([
    ['is not JSON', '{"errors.body":', /given\.json/],
    ['is a list', '[]', /given\.json|object/],
    ['has an unknown key', '{"errors.colour":"red"}', /errors\.colour/],
    ['has a value not listed', '{"errors.body":"xml"}', /errors\.body.*nested|nested.*errors\.body/],
  ])('%s', async (_, text, names) => {
    await expectFileError('--contract', text, names)
  })

  test('is a directory', async () =>
    expectStartError(['--port', '0', '--ephemeral', '--contract', await scratchDirectory()], /cannot read/))

  test('is YAML that does not parse', () =>
    expectFileError('--contract', 'errors.body: [flat', /given\.yaml/, 'yaml'))
})

describe('the start fails if the catalogue file', () => {
  test('does not exist', () =>
    expectStartError(
      ['--port', '0', '--ephemeral', '--catalogue', '/no/such/catalogue.json'],
      /catalogue\.json/,
    ))

  test.each<[string, string, RegExp]>([
    ['is not JSON', '{"providers":', /given\.json/],
    ['is empty', '{}', /providers|methods|routes/],
    ['is not consistent', JSON.stringify({ ...plainCatalogue(), providers: [] }), /zqprov-main|provider/],
    ['is of the wrong type', '"catalogue"', /given\.json|object/],
  ])('%s', async (_, text, names) => {
    await expectFileError('--catalogue', text, names)
  })
})

describe('a bad flag', () => {
  test.each<[string[], RegExp]>([
    [['--port', 'abc'], /port/],
    [['--port', '70000'], /port/],
    [['--port', '-1'], /port/],
    [['--port', '0', '--clock', 'lunar'], /clock/],
    [['--port', '0', '--durability', 'maybe'], /durability/],
    [['--port', '0', '--seed', 'seven'], /seed/],
    [['--port', '0', '--no-such-flag'], /no-such-flag/],
  ])('%j is a usage error with exit code 2', async (args, names) => {
    const { code, stdout, stderr } = await serveUntilExit(['--json', '--ephemeral', ...args])
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(names)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})
