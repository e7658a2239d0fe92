import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driven } from '../../support/cli/sim.ts'

const { server, home, paysim, shop } = driven()

const nobody = { PAYSIM_CONTROL_URL: 'http://127.0.0.1:9/_paysim', PAYSIM_CONTROL_TOKEN: 'not-it' }

test('sim finds the simulator that serves the directory, and its token', async () => {
  const { code, stdout } = await paysim('sim status -o json', { env: { PAYSIM_DATA: server().dataDir } })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    control_url: server().controlUrl,
    url: server().url,
    found: 'the local simulator',
    ready: true,
    accounts: [{ id: 'default.test', clock: { mode: 'virtual' } }, { id: 'default.live' }],
  })
})

test('a flag beats the environment, which beats the local simulator', async () => {
  const local = { PAYSIM_DATA: server().dataDir }
  const [flags, environment] = await Promise.all([
    paysim(['sim', 'clock', '--control-url', server().controlUrl, '--control-token', server().controlToken], {
      env: nobody,
    }),
    paysim('sim clock', { env: { ...local, ...nobody } }),
  ])
  expect(flags).toMatchObject({ code: 0 })
  expect(environment).toMatchObject({ code: 7, stdout: '' })
  expect(environment.stderr).toContain('refused the connection')
})

test('the token comes from a file or stdin, and the address may be that of the server', async () => {
  const file = join(home(), 'token')
  await writeFile(file, `${server().controlToken}\n`)
  const at = ['sim', 'clock', '--control-url', server().url, '--control-token-file']
  const runs = await Promise.all([
    paysim([...at, file]),
    paysim([...at, '-'], { input: server().controlToken }),
    paysim([...at, '-'], { input: 'two words' }),
    paysim([...at, join(home(), 'no-such-file')]),
    paysim([...at, file, '--control-token', 'x']),
  ])
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 2, 2, 2])
})

test('the token of one simulator is not sent to another', async () => {
  const run = await paysim('sim clock --control-url http://127.0.0.1:9', {
    env: { PAYSIM_DATA: server().dataDir },
  })
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain('there is no token for http://127.0.0.1:9')
})

test('sim says what to do without a simulator', async () => {
  const [nowhere, crooked] = await Promise.all([
    paysim('sim clock'),
    paysim('sim clock --control-token x --control-url ftp://somewhere'),
  ])
  expect(nowhere).toMatchObject({ code: 2, stdout: '' })
  expect(nowhere.stderr).toMatch(/paysim serve.*--control-url/s)
  expect(crooked).toMatchObject({ code: 2 })
  expect(crooked.stderr).toContain('--control-url must be')
})

test('an account is named by its id or its merchant; the default is that of the environment', async () => {
  const { id, sim } = await shop()
  const [own, live, merchant, none] = await Promise.all([
    sim('keys -o json --query data[0].public_key'),
    sim(`keys -o json --query data[0].public_key --account ${id}.live`),
    sim(`keys -o json --query data[0].public_key --account ${id}`, {
      env: { PAYSIM_ACCOUNT: 'nobody.test' },
    }),
    sim('keys --account nobody'),
  ])
  expect(JSON.parse(own.stdout)).toMatch(/^pk_test_/)
  expect(JSON.parse(live.stdout)).toMatch(/^pk_live_/)
  expect(merchant.stdout).toBe(own.stdout)
  expect(none).toMatchObject({ code: 4, stdout: '' })
  expect(none.stderr).toContain('No such account (not_found, HTTP 404')
})

test('shows requests as curl without the token, or logs them', async () => {
  const { sim, control } = await shop()
  const before = await control('GET', '/clock')
  const [dry, verbose] = await Promise.all([
    sim('clock advance 5s --dry-run'),
    sim('payments --verbose --show-headers -o json'),
  ])
  expect(dry).toMatchObject({ code: 0, stderr: '' })
  expect(dry.stdout).toContain(`clock/advance' \\\n  -H "Authorization: Bearer $PAYSIM_CONTROL_TOKEN"`)
  expect(dry.stdout).toContain(`--data-raw '{"by":"5s"}'`)
  expect(dry.stdout).not.toContain(server().controlToken)
  expect((await control('GET', '/clock')).text).toBe(before.text)
  expect(verbose.stderr).toMatch(/GET http.*\/payments\?limit=50 {2}200 {2}\d+ ms {2}req_/)
  expect(verbose.stderr).toContain('HTTP 200')
  expect(verbose.stderr).not.toContain(server().controlToken)
})
