import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { driven } from '../../support/cli/sim.ts'
import { png } from '../../support/payments/receipt-images.ts'

const { server, home, shop } = driven()

const parsed = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout)

describe('merchants, keys, endpoints, assets', () => {
  test('sim merchants creates, changes and removes a merchant, and removal needs confirmation', async () => {
    const { sim } = await shop()
    const made = await sim(
      'merchants create corner --clock virtual --now 2030-01-01T00:00:00Z --seed 3 --checkout-mode hosted --webhook http://127.0.0.1:9/ -o json',
    )
    expect(parsed(made)).toMatchObject({
      id: 'corner',
      checkout_modes: ['hosted'],
      accounts: [{ id: 'corner.test' }, {}],
    })
    expect(parsed(await sim('clock --account corner -o json'))).toMatchObject({
      now: '2030-01-01T00:00:00.000Z',
    })
    const changed = await sim('merchants change corner --checkout-mode none -o json')
    expect(parsed(changed)).toMatchObject({ checkout_modes: [] })
    const unconfirmed = await sim('merchants remove corner')
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '' })
    expect(unconfirmed.stderr).toContain('--yes')
    expect(await sim('merchants remove corner --yes')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'corner removed\n',
    })
    expect(await sim('merchants show corner')).toMatchObject({ code: 4 })
  })

  test('sim keys adds a key pair that works, and revokes it', async () => {
    const { sim } = await shop()
    const pair = parsed(await sim('keys add -o json'))
    const call = server().as(pair)
    expect((await call('GET', '/payout_intents')).status).toBe(200)
    expect(await sim(`keys revoke ${pair.public_key}`)).toMatchObject({ code: 0, stdout: '' })
    expect((await call('GET', '/payout_intents')).status).toBe(401)
  })

  test('sim endpoints adds an endpoint, rotates its secret, and removes it', async () => {
    const { sim } = await shop()
    const url = 'http://127.0.0.1:9/hooks'
    const added = parsed(await sim(`endpoints add ${url} --events payment.succeeded,payment.failed -o json`))
    expect(added).toMatchObject({ url, events: ['payment.succeeded', 'payment.failed'] })
    const rotated = parsed(await sim(`endpoints rotate ${added.id} --overlap 1h -o json`))
    expect(rotated.secret).not.toBe(added.secret)
    expect(await sim(`endpoints remove ${added.id}`)).toMatchObject({ code: 0, stdout: '' })
    const refused = await sim('endpoints add https://elsewhere.example/hooks')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('--allow-webhooks elsewhere.example')
  })

  test('sim assets checks an asset before it sends it', async () => {
    const { sim } = await shop()
    await writeFile(join(home(), 'logo.png'), png(9))
    expect(parsed(await sim('assets upload logo.png --kind other -o json'))).toMatchObject({ kind: 'other' })
    const text = await sim('assets upload -', { input: 'no image at all' })
    expect(text).toMatchObject({ code: 2, stdout: '' })
    expect(text.stderr).toContain('neither a JPEG nor a PNG')
  })
})

describe('export, import, reset', () => {
  test('an account is exported to a file that only its owner can read, and imported again', async () => {
    const { sim, pay, control } = await shop()
    const { id } = await pay()
    const file = join(home(), 'shop.json')
    expect(await sim(`export --file ${file}`)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `${file} written\n`,
    })
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    const unconfirmed = await sim('reset')
    expect(unconfirmed).toMatchObject({ code: 2, stdout: '' })
    expect(unconfirmed.stderr).toContain('add --yes to confirm')
    expect((await sim('reset --yes')).stdout).toContain('is empty')
    expect((await control('GET', `/payments/${id}`)).status).toBe(404)
    expect(await sim(`import ${file}`)).toMatchObject({ code: 0, stderr: '' })
    expect((await control('GET', `/payments/${id}`)).status).toBe(200)
    const [piped, back] = [
      await sim('export'),
      await sim('import - -o json', { input: await readFile(file) }),
    ]
    expect(JSON.parse(piped.stdout)).toMatchObject({ paysim: 1 })
    expect(parsed(back)).toMatchObject({ entries: expect.any(Number) })
  })

  test('sim reset keeps what was set up by default, and nothing with --all', async () => {
    const { sim, pay, control } = await shop({ rules: [{ name: 'first', outcome: 'manual' }] })
    const endpoints = async () => (await control('GET', '/webhook-endpoints')).body.data
    await control('POST', '/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/one' } })
    const { body: rotated } = await control('POST', '/webhook-endpoints', {
      body: { url: 'http://127.0.0.1:9/two', events: ['payment.failed'] },
    })
    await control('POST', `/webhook-endpoints/${rotated.id}/rotate-secret`, { body: {} })
    await control('PUT', '/rules', { body: { rules: [{ name: 'second', outcome: 'manual' }] } })
    await control('PUT', '/faults', { body: { faults: [{ on: 'webhook', type: 'drop', times: 3 }] } })
    await control('PATCH', '/catalogue/providers/mangrove', { body: { healthy: false } })
    const { id } = await pay()
    const settings = async () => ({
      endpoints: (await endpoints()).map(({ created_at: _, ...rest }: Record<string, unknown>) => rest),
      rules: (await control('GET', '/rules')).body.rules.map(({ name }: { name: string }) => name),
      faults: (await control('GET', '/faults')).body.faults.map(({ type }: { type: string }) => type),
      catalogue: (await control('GET', '/catalogue')).text,
    })
    const before = await settings()
    expect(before).toMatchObject({ endpoints: [{}, {}], rules: ['second'], faults: ['drop'] })
    await sim('reset --yes')
    expect((await control('GET', `/payments/${id}`)).status).toBe(404)
    expect(await settings()).toEqual(before)
    // An id that an endpoint has is not given again, whenever it is drawn.
    for (let nth = 0; nth < 12; nth++)
      await control('POST', '/webhook-endpoints', { body: { url: `http://127.0.0.1:9/${nth}` } })
    expect(new Set((await endpoints()).map((each: { id: string }) => each.id)).size).toBe(14)
    await sim('reset --all --yes')
    const emptied = await settings()
    expect(emptied).toMatchObject({ endpoints: [], rules: ['first'], faults: [] })
    expect(emptied.catalogue).not.toBe(before.catalogue)
  })

  test('the call keeps what it names, and nothing by itself', async () => {
    const { control } = await shop()
    const setUp = async () => {
      await control('POST', '/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hooks' } })
      await control('PUT', '/rules', { body: { rules: [{ name: 'mine', outcome: 'manual' }] } })
    }
    const left = async (body?: unknown) => {
      expect((await control('POST', '/reset', body === undefined ? {} : { body })).status).toBe(200)
      const { body: endpoints } = await control('GET', '/webhook-endpoints')
      const { body: rules } = await control('GET', '/rules')
      return [endpoints.data.length, rules.rules[0]?.name === 'mine']
    }
    await setUp()
    expect(await left({ keep: ['endpoints'] })).toEqual([1, false])
    await setUp()
    expect(await left({ keep: ['rules'] })).toEqual([0, true])
    await setUp()
    expect(await left()).toEqual([0, false])
    const wrong = await control('POST', '/reset', { body: { keep: ['records'] } })
    expect(wrong.status).toBe(400)
  })

  test.each([
    ['import no-such-file.json', 2, 'no-such-file.json cannot be read'],
    ['import .', 2, 'not a file'],
    ['export --file no/such/folder.json', 2, 'no/such/folder.json cannot be written'],
  ])('%s', async (words, code, told) => {
    const { sim } = await shop()
    const run = await sim(words)
    expect(run).toMatchObject({ code, stdout: '' })
    expect(run.stderr).toContain(told)
  })

  test('an invalid archive changes nothing', async () => {
    const { sim } = await shop()
    expect(await sim('import -', { input: '{"paysim": 2}' })).toMatchObject({ code: 2, stdout: '' })
  })
})
