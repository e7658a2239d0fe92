import { readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { digestOf, FileImages, type ImageStore, MemoryImages } from '../../src/engine/image-store.ts'
import { UnavailableError } from '../../src/engine/unavailable.ts'
import { failNext } from '../support/engine/journal-in-file.ts'
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
    await images.put(one, bytes)
    await images.put(two, other)
    expect([await images.get(one), await images.get(two)]).toEqual([bytes, other])
  })

  test('are not found under another digest', async () => {
    const images = await open()
    expect(await images.get(one)).toBeUndefined()
    await images.put(one, bytes)
    expect(await images.get(two)).toBeUndefined()
  })

  test('may be stored many times at once', async () => {
    const images = await open()
    await Promise.all(Array.from({ length: 20 }, () => images.put(one, bytes)))
    expect(await images.get(one)).toEqual(bytes)
  })

  test('are gone when cleared, and others can be stored', async () => {
    const images = await open()
    await images.clear()
    await images.put(one, bytes)
    await images.clear()
    expect(await images.get(one)).toBeUndefined()
    await images.put(two, other)
    expect(await images.get(two)).toEqual(other)
  })
})

describe('images on disk', () => {
  test('stay in their folder, whatever their digest', async () => {
    const directory = await temporaryDirectory()
    const images = new FileImages(join(directory, 'images'), true)
    for (const digest of ['../escaped', '', 'one', `${one}/../../x`, one.toUpperCase(), `${one}0`])
      await expect(images.put(digest, bytes), digest).rejects.toThrow('there is no image')
    expect(await readdir(directory)).toEqual([])
    await writeFile(join(directory, 'secret'), bytes)
    await expect(images.get('../secret')).rejects.toThrow('there is no image')
  })

  test('are not returned when damaged or reached through a link', async () => {
    const directory = join(await temporaryDirectory(), 'images')
    const images = new FileImages(directory, true)
    await images.put(one, bytes)
    await writeFile(join(directory, one), other)
    expect(await images.get(one)).toBeUndefined()
    await rm(join(directory, one))
    await writeFile(join(directory, '..', 'elsewhere'), bytes)
    await symlink('../elsewhere', join(directory, one))
    expect(await images.get(one)).toBeUndefined()
  })
})

describe('an image that cannot be stored', () => {
  test('leaves nothing behind, and a later attempt succeeds', async () => {
    const directory = await temporaryDirectory()
    const images = new FileImages(directory, true)
    await failNext('datasync')
    await expect(images.put(one, bytes)).rejects.toBeInstanceOf(UnavailableError)
    expect([await images.get(one), await readdir(directory)]).toEqual([undefined, []])
    await images.put(one, bytes)
    expect(await readdir(directory)).toEqual([one])
  })

  test('reports a directory that cannot be created', async () => {
    const path = join(await temporaryDirectory(), 'a-file')
    await writeFile(path, '')
    await expect(new FileImages(path, true).put(one, bytes)).rejects.toBeInstanceOf(UnavailableError)
  })

  test('reports a folder that was replaced by a link, and writes nothing behind it', async () => {
    const path = join(await temporaryDirectory(), 'images')
    const elsewhere = await temporaryDirectory()
    await symlink(elsewhere, path)
    const refused = await new FileImages(path, true).put(one, bytes).catch((cause: Error) => cause)
    expect(refused).toMatchObject({
      message: 'The image cannot be written now (the log of paysim says why); nothing was changed',
      cause: { name: 'StartError', message: expect.stringContaining(`${path} is a symbolic link`) },
    })
    expect(await readdir(elsewhere)).toEqual([])
  })
})
