import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type MerchantRecord, Registry } from '../../src/engine/registry.ts'
import { Unavailable } from '../../src/engine/unavailable.ts'
import { temporaryDirectory } from './temporary-directory.ts'

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

/** A registry on disk, in a directory that can be taken away from under it. */
async function onDisk() {
  const directory = join(await temporaryDirectory(), 'data')
  await mkdir(directory)
  const path = join(directory, 'merchants.json')
  return { directory, path, registry: await Registry.open(path) }
}

describe('the list of merchants', () => {
  it('is there again after a restart, for its owner alone to read', async () => {
    const { path, registry } = await onDisk()
    await registry.add(merchant('a'))
    await registry.updateAccount('a', 'live', record => ({ ...record, keysMade: 2 }))
    await registry.rememberPort(7297)
    const again = await Registry.open(path)
    expect(again.merchants).toEqual(registry.merchants)
    expect(again.get('a').accounts).toMatchObject({ live: { keysMade: 2 }, test: { keysMade: 0 } })
    expect(again.lastPort).toBe(7297)
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('takes changes that come at once one after the other', async () => {
    const { path, registry } = await onDisk()
    await Promise.all(['a', 'b', 'c', 'd'].map(id => registry.add(merchant(id))))
    await Promise.all([registry.remove('b'), registry.update('c', record => ({ ...record, name: 'C' }))])
    expect(ids(registry)).toEqual(['a', 'c', 'd'])
    expect((await Registry.open(path)).find('c')?.name).toBe('C')
  })

  it('finds by id and nothing else', async () => {
    const registry = await Registry.open(null)
    await registry.add(merchant('a'))
    expect(registry.find('a')?.id).toBe('a')
    for (const id of ['b', '', '__proto__', 'constructor']) expect(registry.find(id)).toBeUndefined()
    expect(() => registry.get('b')).toThrow('merchant b is gone')
  })

  it('names merchants that come without a name, and none twice', async () => {
    const registry = await Registry.open(null)
    await registry.add(merchant('merchant-2'))
    expect([registry.nextMerchantId(), registry.nextMerchantId()]).toEqual(['merchant-1', 'merchant-3'])
  })
})

describe('a change that cannot be written', () => {
  it('is not in force, and neither stops the next one', async () => {
    const { directory, path, registry } = await onDisk()
    await registry.add(merchant('a'))
    await rename(directory, `${directory}-gone`)
    await expect(registry.add(merchant('b'))).rejects.toBeInstanceOf(Unavailable)
    await expect(registry.update('a', record => ({ ...record, name: 'B' }))).rejects.toBeInstanceOf(
      Unavailable,
    )
    await expect(registry.remove('a')).rejects.toBeInstanceOf(Unavailable)
    expect([ids(registry), registry.find('a')?.name, registry.find('b')]).toEqual([['a'], 'a', undefined])
    await rename(`${directory}-gone`, directory)
    await registry.add(merchant('c'))
    expect(ids(await Registry.open(path))).toEqual(['a', 'c'])
  })
})

describe('a file that is none', () => {
  it.each([
    ['no JSON', '{"version":1,', /cannot be read/],
    ['another version', '{"version":2,"merchants":[]}', /is not a file that this paysim reads/],
    ['no merchants', '{"version":1}', /is not a file that this paysim reads/],
    ['a list', '[]', /is not a file that this paysim reads/],
  ])('stops the start and is left as it was: %s', async (_, text, why) => {
    const path = join(await temporaryDirectory(), 'merchants.json')
    await writeFile(path, text)
    await chmod(path, 0o600)
    await expect(Registry.open(path)).rejects.toThrow(why)
    expect(await readFile(path, 'utf8')).toBe(text)
  })

  it('stops the start also where it holds null', async () => {
    const path = join(await temporaryDirectory(), 'merchants.json')
    await writeFile(path, 'null')
    await expect(Registry.open(path)).rejects.toThrow(/is not a file that this paysim reads/)
  })
})
