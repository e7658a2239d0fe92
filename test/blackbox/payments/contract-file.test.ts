import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeDirectory, startServer } from '../../support/gateway/server.ts'
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

describe('a contract file is accepted', () => {
  test.each([
    ['as YAML', 'contract.yaml', '# comment\nauth.failure_status: "403"\nerrors.body: flat\n'],
    ['as YAML, by its other name', 'contract.yml', 'auth.failure_status: 403\nerrors.body: flat\n'],
    ['as JSON', 'contract.json', '{"auth.failure_status":403,"errors.body":"flat"}'],
  ])('%s', async (_, name, content) => {
    const file = await fileOf(content, name)
    const server = await startServer({ args: ['--ephemeral', '--contract', file] })
    const answer = await server.call('POST', '/payment_intents', { body: hosted(), anonymous: true })
    await server.stop()
    await removeDirectory(server.dataDir)
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 403, code: 'unauthorized' })
  })

  test('without any overrides', async () => {
    const server = await startServer({ args: ['--ephemeral', '--contract', await fileOf('{}')] })
    const answer = await server.call('POST', '/payment_intents', { body: {}, anonymous: true })
    await server.stop()
    await removeDirectory(server.dataDir)
    expect(answer.status).toBe(401)
  })
})
