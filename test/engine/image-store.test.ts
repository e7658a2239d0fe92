import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { FileImages } from '../../src/engine/store/file-images.ts'
import { digestOf, type ImageStore, MemoryImages } from '../../src/engine/store/image-store.ts'
import { UnavailableError } from '../../src/engine/store/store-errors.ts'
import { failNext, fileCalls } from '../support/engine/journal-in-file.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'

afterEach(() => vi.restoreAllMocks())

const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255])
const other = Buffer.alloc(0)
const [one, two] = [digestOf(bytes), digestOf(other)]
const stores: [string, () => Promise<ImageStore>][] = [
  ['in memory', async () => new MemoryImages()],
  ['on disk', async () => new FileImages(join(await temporaryDirectory(), 'images'), true)],
  ['on disk, unsynced', async () => new FileImages(join(await temporaryDirectory(), 'images'), false)],
]

describe.each(stores)('images %s', (_, open) => {
  test('are returned as they were stored', async () => {
    const images = await open()
    await images.put(one, [bytes])
    await images.put(two, [other])
    expect([await images.get(one), await images.get(two)]).toEqual([bytes, other])
  })

  test('are not found under another digest', async () => {
    const images = await open()
    expect(await images.get(one)).toBeUndefined()
    await images.put(one, [bytes])
    expect(await images.get(two)).toBeUndefined()
  })

  test('may be stored many times at once', async () => {
    const images = await open()
    await Promise.all(Array.from({ length: 20 }, () => images.put(one, [bytes])))
    expect(await images.get(one)).toEqual(bytes)
  })

  test('are gone when cleared, and others can be stored', async () => {
    const images = await open()
    await images.clear()
    await images.put(one, [bytes])
    await images.clear()
    expect(await images.get(one)).toBeUndefined()
    await images.put(two, [other])
    expect(await images.get(two)).toEqual(other)
  })
})

describe('images on disk', () => {
  test('stay in their folder, whatever their digest', async () => {
    const directory = await temporaryDirectory()
    const images = new FileImages(join(directory, 'images'), true)
    for (const digest of ['../escaped', '', 'one', `${one}/../../x`, one.toUpperCase(), `${one}0`])
      await expect(images.put(digest, [bytes]), digest).rejects.toThrow('there is no image')
    expect(await readdir(directory)).toEqual([])
    await writeFile(join(directory, 'secret'), bytes)
    await expect(images.get('../secret')).rejects.toThrow('there is no image')
  })

  test('are not returned when damaged or reached through a link', async () => {
    const directory = join(await temporaryDirectory(), 'images')
    const images = new FileImages(directory, true)
    await images.put(one, [bytes])
    const pack = join(directory, 'pack-1')
    const whole = await readFile(pack)
    await writeFile(pack, other)
    expect(await images.get(one)).toBeUndefined()
    await rm(pack)
    await writeFile(join(directory, '..', 'elsewhere'), whole)
    await symlink('../elsewhere', pack)
    expect(await images.get(one)).toBeUndefined()
  })

  test('share a write and a sync when they arrive together', async () => {
    const directory = join(await temporaryDirectory(), 'images')
    const images = new FileImages(directory, true)
    const syncs = vi.spyOn(await fileCalls(), 'datasync')
    const many = Array.from({ length: 50 }, (_, nth) => Buffer.alloc(1000 + nth, nth))
    await Promise.all(
      many.map(image => images.put(digestOf(image), [image.subarray(0, 7), image.subarray(7)])),
    )
    expect(syncs.mock.calls.length).toBeLessThanOrEqual(2)
    for (const image of many) expect(await images.get(digestOf(image))).toEqual(image)
    expect(await readdir(directory)).toEqual(['pack-1'])
  })

  test('are stored once, unless what was stored is damaged', async () => {
    const directory = join(await temporaryDirectory(), 'images')
    const images = new FileImages(directory, true)
    await images.put(one, [bytes])
    const pack = join(directory, 'pack-1')
    const before = await readFile(pack)
    await images.put(one, [bytes])
    expect(await readFile(pack)).toEqual(before)
    await writeFile(pack, 'damaged')
    await images.put(one, [bytes])
    expect(await images.get(one)).toEqual(bytes)
  })

  test('of earlier runs are found, and a new run begins a pack of its own', async () => {
    const directory = join(await temporaryDirectory(), 'images')
    await new FileImages(directory, true).put(one, [bytes])
    const next = new FileImages(directory, true)
    await next.put(two, [other])
    expect([await next.get(one), await next.get(two)]).toEqual([bytes, other])
    expect((await readdir(directory)).sort()).toEqual(['pack-1', 'pack-2'])
  })

  test('are whole or missing after any byte of a pack was damaged, or the rest of it lost', async () => {
    const directory = await temporaryDirectory()
    const all = [
      Buffer.from('the first'),
      Buffer.from('{"digest":"looks like a header'),
      Buffer.from('the last'),
    ]
    const first = new FileImages(directory, false)
    for (const image of all) await first.put(digestOf(image), [image])
    const pack = join(directory, 'pack-1')
    const whole = await readFile(pack)
    const ends = all.map(image => whole.indexOf(image) + image.length + 1)
    const found = async (changed: Buffer) => {
      await writeFile(pack, changed)
      const images = new FileImages(directory, false)
      return Promise.all(all.map(image => images.get(digestOf(image))))
    }
    for (let at = 0; at < whole.length; at++) {
      const cut = await found(whole.subarray(0, at))
      expect(cut, `cut at ${at}`).toEqual(
        all.map((image, nth) => (at >= (ends[nth] ?? 0) ? image : undefined)),
      )
      const flipped = Buffer.from(whole)
      flipped[at] = (flipped[at] ?? 0) ^ 1
      const damaged = ends.findIndex(end => at < end)
      const kept = await found(flipped)
      all.forEach((image, nth) => {
        if (nth !== damaged) expect(kept[nth], `image ${nth}, byte ${at}`).toEqual(image)
        else expect([undefined, image], `image ${nth}, byte ${at}`).toContainEqual(kept[nth])
      })
    }
  })
})

describe('an image that cannot be stored', () => {
  test('leaves nothing behind, and a later attempt succeeds', async () => {
    const directory = await temporaryDirectory()
    const images = new FileImages(directory, true)
    await failNext('datasync')
    await expect(images.put(one, [bytes])).rejects.toBeInstanceOf(UnavailableError)
    expect([await images.get(one), await readdir(directory)]).toEqual([undefined, []])
    await images.put(one, [bytes])
    expect(await readdir(directory)).toEqual(['pack-1'])
  })

  test('reports a directory that cannot be created', async () => {
    const path = join(await temporaryDirectory(), 'a-file')
    await writeFile(path, '')
    await expect(new FileImages(path, true).put(one, [bytes])).rejects.toBeInstanceOf(UnavailableError)
  })

  test('reports a folder that was replaced by a link, and writes nothing behind it', async () => {
    const path = join(await temporaryDirectory(), 'images')
    const elsewhere = await temporaryDirectory()
    await symlink(elsewhere, path)
    const refused = await new FileImages(path, true).put(one, [bytes]).catch((cause: Error) => cause)
    expect(refused).toMatchObject({
      message: 'The image cannot be written now (the log of paysim says why); nothing was changed',
      cause: { name: 'StartError', message: expect.stringContaining(`${path} is a symbolic link`) },
    })
    expect(await readdir(elsewhere)).toEqual([])
  })
})
