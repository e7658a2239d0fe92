import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeDirectory, runBinary, startServer } from '../../support/gateway/server.ts'
import { hosted } from '../../support/payments/requests.ts'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'paysim-contract-'))
})

afterAll(() => removeDirectory(directory))

async function fileOf(content: string, name = 'contract.json'): Promise<string> {
  const file = join(directory, name)
  await writeFile(file, content)
  return file
}

async function start(file: string) {
  const data = join(directory, 'data')
  return runBinary(['serve', '--json', '--port', '0', '--data', data, '--ephemeral', '--contract', file])
}

/** One clear line that names what is wrong, exit 1 or 2, no stack, and no ready line. */
async function expectRefusal(file: string, ...mentions: RegExp[]) {
  const { code, stdout, stderr } = await start(file)
  expect([1, 2]).toContain(code)
  expect(stdout).not.toContain('ready')
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  for (const mention of mentions) expect(stderr).toMatch(mention)
}

describe('a contract file is refused at start, with the key and what is allowed', () => {
  test.each([
    ['an unknown key', { 'errors.colour': 'red' }, [/errors\.colour/]],
    ['a key in other case', { 'Errors.Body': 'flat' }, [/Errors\.Body/]],
    ['a member of every object', { constructor: 'x' }, [/constructor/]],
    ['a value not listed', { 'errors.body': 'xml' }, [/errors\.body/, /nested/, /flat/, /problem/]],
    ['a number not listed', { 'auth.failure_status': 418 }, [/auth\.failure_status/, /401/, /403/]],
    ['null', { 'errors.body': null }, [/errors\.body/]],
    ['an object', { 'errors.body': { flat: true } }, [/errors\.body/]],
    ['true for optional', { 'create.merchant_reference': true }, [/create\.merchant_reference/, /optional/]],
    ['a key nested in objects', { errors: { body: 'flat' } }, [/errors/]],
    ['no duration', { 'payment.expiry': 'soon' }, [/payment\.expiry/]],
    ['a negative duration', { 'payment.expiry': '-1h' }, [/payment\.expiry/]],
    ['a duration without a unit', { 'hosted.page': '30' }, [/hosted\.page/]],
    ['a path that is none', { 'create.path': 'charges' }, [/create\.path/]],
    ['one bad key among good ones', { 'errors.body': 'flat', 'list.nonsense': 1 }, [/list\.nonsense/]],
  ])('%s', async (_, contract, mentions) => {
    await expectRefusal(await fileOf(JSON.stringify(contract)), ...mentions)
  })

  test.each([
    'auth.rotation',
    'next_action.bank_transfer',
    'errors.syntax',
    'errors.precedence',
    'idempotency.keys',
    'receipt.refusals',
    'route.frozen',
    'ids',
  ])('the constant %s', async key => {
    await expectRefusal(await fileOf(JSON.stringify({ [key]: 'other' })), new RegExp(key.replace('.', '\\.')))
  })

  test.each([
    ['a list', '[]'],
    ['a string', '"flat"'],
    ['broken JSON', '{"errors.body":'],
    ['broken YAML', 'a: [b\nc: }'],
  ])('%s', async (_, content) => {
    await expectRefusal(await fileOf(content))
  })

  test('a file that there is not', async () => {
    await expectRefusal(join(directory, 'nowhere.json'), /nowhere\.json/)
  })

  test('a directory', async () => {
    await expectRefusal(directory)
  })
})

describe('a contract file is taken', () => {
  test.each([
    ['as YAML, numbers as numbers', 'contract.yaml', 'auth.failure_status: 403\nerrors.body: flat\n'],
    [
      'as YAML, numbers as strings',
      'contract.yml',
      '# comment\nauth.failure_status: "403"\nerrors.body: flat\n',
    ],
    ['as JSON, numbers as numbers', 'contract.json', '{"auth.failure_status":403,"errors.body":"flat"}'],
    ['as JSON, numbers as strings', 'contract.json', '{"auth.failure_status":"403","errors.body":"flat"}'],
  ])('%s', async (_, name, content) => {
    const file = await fileOf(content, name)
    const server = await startServer({ args: ['--ephemeral', '--contract', file] })
    const answer = await server.call('POST', '/payment_intents', { body: hosted(), anonymous: true })
    await server.stop()
    await removeDirectory(server.dataDir)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 403, code: 'unauthorized' })
  })

  test('when it is empty of overrides', async () => {
    const server = await startServer({ args: ['--ephemeral', '--contract', await fileOf('{}')] })
    const answer = await server.call('POST', '/payment_intents', { body: {}, anonymous: true })
    await server.stop()
    await removeDirectory(server.dataDir)
    expect(answer.status).toBe(401)
  })
})
