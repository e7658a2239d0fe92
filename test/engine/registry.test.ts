import { appendFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ChangeFile, MemoryChanges } from '../../src/engine/store/change-log.ts'
import type { MerchantRecord } from '../../src/engine/store/merchant-record.ts'
import { Registry } from '../../src/engine/store/registry.ts'
import { UnavailableError } from '../../src/engine/store/store-errors.ts'
import { failNext } from '../support/engine/journal-in-file.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'

const account = (seed: string) => ({ seed, keys: [], keysMade: 0 })
const merchant = (id: string): MerchantRecord => ({
  id,
  name: id,
  checkoutModes: ['hosted'],
  seeded: false,
  setup: {},
  accounts: { test: account(`${id}-test`), live: account(`${id}-live`) },
})
const ids = (registry: Registry) => registry.merchants.map(({ id }) => id)

const opened: Registry[] = []
afterEach(async () => {
  for (const registry of opened.splice(0)) await registry.close()
})

async function openAt(path: string) {
  const torn: string[] = []
  const registry = await Registry.open(
    new ChangeFile({ path, sync: true, warn: message => torn.push(message) }),
  )
  opened.push(registry)
  return { registry, torn }
}

async function onDisk() {
  const path = join(await temporaryDirectory(), 'merchants.jsonl')
  return { path, ...(await openAt(path)) }
}

describe('the list of merchants', () => {
  test('is restored after a restart, and only its owner can read it', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('a'))
    await registry.updateAccount('a', 'live', record => ({ ...record, keysMade: 2 }))
    await registry.rememberPort(7297)
    const { registry: again } = await openAt(path)
    expect(again.merchants).toEqual(registry.merchants)
    expect(again.get('a').accounts).toMatchObject({ live: { keysMade: 2 }, test: { keysMade: 0 } })
    expect(again.lastPort).toBe(7297)
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('applies concurrent changes one after the other', async () => {
    const { path, registry } = await onDisk()
    await Promise.all(['a', 'b', 'c', 'd'].map(id => registry.add(merchant(id))))
    const renamed = (name: string) =>
      registry.update('c', record => ({ ...record, name: record.name + name }))
    await Promise.all([registry.remove('b'), renamed('1'), renamed('2'), renamed('3')])
    expect(ids(registry)).toEqual(['a', 'c', 'd'])
    expect((await openAt(path)).registry.find('c')?.name).toBe('c123')
  })

  test('finds merchants only by their id', async () => {
    const registry = await Registry.open(new MemoryChanges())
    await registry.add(merchant('a'))
    expect(registry.find('a')?.id).toBe('a')
    for (const id of ['b', '', '__proto__', 'constructor']) expect(registry.find(id)).toBeUndefined()
    expect(() => registry.get('b')).toThrow('merchant b was removed')
  })

  test('generates a different id for each merchant without one, even after a restart', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('merchant-2'))
    expect([registry.nextMerchantId(), registry.nextMerchantId()]).toEqual(['merchant-1', 'merchant-3'])
    await registry.add(merchant('merchant-3'))
    await registry.remove('merchant-3')
    expect((await openAt(path)).registry.nextMerchantId()).toBe('merchant-4')
  })

  test('has one line per change, and is rewritten before it grows too large', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('a'))
    const before = (await stat(path)).size
    await registry.rememberPort(1)
    expect((await stat(path)).size - before).toBeLessThan(100)
    await Promise.all(Array.from({ length: 3_000 }, (_, nth) => registry.rememberPort(nth + 2)))
    await registry.rememberPort(9999)
    expect((await readFile(path, 'utf8')).split('\n').length).toBeLessThan(10)
    const { registry: again } = await openAt(path)
    expect([ids(again), again.lastPort]).toEqual([['a'], 9999])
  })
})

describe('a change that cannot be written', () => {
  test.each(['write', 'datasync'] as const)(
    'does not take effect, and does not stop the next one: %s',
    async call => {
      const { path, registry } = await onDisk()
      await registry.add(merchant('a'))
      const changes = [
        () => registry.add(merchant('b')),
        () => registry.update('a', record => ({ ...record, name: 'B' })),
        () => registry.remove('a'),
      ]
      for (const change of changes) {
        await failNext(call)
        await expect(change()).rejects.toBeInstanceOf(UnavailableError)
      }
      expect([ids(registry), registry.find('a')?.name, registry.find('b')]).toEqual([['a'], 'a', undefined])
      await registry.add(merchant('c'))
      expect(ids((await openAt(path)).registry)).toEqual(['a', 'c'])
    },
  )

  test('does not come back even if the file could not be truncated at once', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('a'))
    await failNext('datasync')
    await failNext('truncate')
    await expect(registry.add(merchant('b'))).rejects.toBeInstanceOf(UnavailableError)
    await registry.add(merchant('c'))
    expect(ids((await openAt(path)).registry)).toEqual(['a', 'c'])
  })
})

describe('a file that is not a registry', () => {
  test.each([
    ['no list', '[]\n', /:1: this journal line is damaged/],
    ['null', 'null\n', /:1: this journal line is damaged/],
    ['the whole of an older one', '{"version":1,"merchants":[]}\n', /:1: this journal line is damaged/],
  ])('stops the start and is not changed: %s', async (_, text, why) => {
    const path = join(await temporaryDirectory(), 'merchants.jsonl')
    await writeFile(path, text, { mode: 0o600 })
    await expect(openAt(path)).rejects.toThrow(why)
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  test('is detected whichever byte is changed', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('a'))
    await registry.add(merchant('b'))
    const whole = await readFile(path)
    for (let at = 0; at < whole.length; at++) {
      const flipped = Buffer.from(whole)
      flipped[at] = (whole[at] ?? 0) ^ 1
      await writeFile(path, flipped)
      await expect(openAt(path), `byte ${at}`).rejects.toThrow(path)
    }
  })

  test('removes a torn last line, and reports it', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('a'))
    await appendFile(path, '{"v":1,"seq":2,"merch')
    const again = await openAt(path)
    expect(ids(again.registry)).toEqual(['a'])
    expect(again.torn).toEqual([expect.stringContaining('is incomplete')])
  })
})
