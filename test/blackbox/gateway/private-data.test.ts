import { execFileSync } from 'node:child_process'
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { copyOf, filesUnder, fingerprints } from '../../support/disk/data-directory.ts'
import { archiveOf } from '../../support/gateway/archive.ts'
import { openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { scratchDirectory, serveUntilExit } from '../../support/gateway/serve-process.ts'
import { removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { imageFile, multipart } from '../../support/http/multipart.ts'
import { isLong } from '../../support/long-form.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { buildWithSmallHistory } from '../../support/torture/small-history.ts'

/**
 * What is below the data directory is paysim's own: nothing is read, written or removed through a link, in a folder that
 * others can write to, or of another user. What was put there while nobody served is found at the start, and what was put
 * there meanwhile by the call that needs it.
 */

const ACCOUNT = 'accounts/default.test'
const PAST = `${ACCOUNT}/past-2`

/**
 * A directory with every kind of folder and file: a segment, a checkpoint, layers and an image. Only the server that
 * makes it has small sizes: those of a segment and a checkpoint do not matter to who reads them.
 */
let whole: string
let digest: string
let segment: string
let layer: string
beforeAll(async () => {
  const { binary, remove } = await buildWithSmallHistory()
  const server = await startServer({ binary })
  const { dataDir } = server
  await succeeded(server.control('PUT', '/accounts/default.test/import', { body: archiveOf(100) }))
  const closed = expect.stringMatching(/^journal-.*\.jsonl$/)
  await vi.waitFor(async () => expect(await readdir(join(dataDir, PAST))).toContainEqual(closed), 90_000)
  // Later, so that the checkpoint has all of the segment.
  const kept = await succeeded(upload(server))
  digest = kept.digest
  await server.stop()
  remove()
  const names = await readdir(join(dataDir, PAST))
  segment = `${PAST}/${names.find(name => name.startsWith('journal-'))}`
  layer = `${PAST}/${names.find(name => /^layer-.*\.jsonl$/.test(name))}`.replace(/\.jsonl$/, '')
  whole = dataDir
  return () => removeDirectory(dataDir)
})

const asRoot = process.getuid?.() === 0
if (!asRoot)
  console.warn('Files of another user are not tested here: only root can change the owner of a file')

/** Moves it elsewhere and puts a link in its place. */
async function link(path: string): Promise<string> {
  const elsewhere = join(await scratchDirectory(), 'moved')
  await rename(path, elsewhere)
  await symlink(elsewhere, path)
  return elsewhere
}

type Harm = (path: string) => Promise<unknown>
const A_LINK: [string, Harm, string] = ['a link', link, 'is a symbolic link']
const FOREIGN: [string, Harm, string] = [
  "another user's",
  path => chown(path, 12_345, 12_345),
  'belongs to another user (uid 12345)',
]
const OPEN: [string, Harm, string] = [
  'open to writers of its group',
  path => chmod(path, 0o770),
  'can be written by other users',
]
const kinds = [A_LINK, OPEN, ...(asRoot ? [FOREIGN] : [])]

/**
 * One function judges every folder (src/engine/store/private-files.ts). Which places ask it is tried with a link, and what else it
 * refuses in two places, except in the long form.
 */
const everywhere = (harm: Harm) => isLong || harm === link

const INSIDE = [ACCOUNT, PAST, `${ACCOUNT}/images`]

const ready = async (server: Server) => (await server.control('GET', '/ready')).body
const upload = (server: Server) =>
  server.control('POST', '/accounts/default.test/assets', multipart([imageFile(png())]))
const exportOf = (server: Server) => server.control('GET', '/accounts/default.test/export')
const imageOf = (server: Server) => server.control('GET', `/accounts/default.test/images/${digest}`)
const historyOf = (server: Server) => server.control('GET', '/accounts/default.test/history/po_7')

/** Harms a file whose last line is half written, which a start removes. What it returns checks that it is still there. */
async function harmHalfWritten(harm: Harm, path: string): Promise<() => Promise<void>> {
  await appendFile(path, '{"v":1,')
  const elsewhere = String((await harm(path)) ?? path)
  const before = await readFile(elsewhere)
  return async () => expect((await readFile(elsewhere)).equals(before)).toBe(true)
}

/** It says what is wrong and where, and shows no stack. */
function expectNamed(stderr: string, path: string, why: string): void {
  expect(stderr).toContain(`${path} ${why}`)
  expect(stderr).not.toMatch(/^\s+at /m)
}

describe.skipIf(process.platform === 'win32').each(kinds)('a folder that is %s', (_, harm, why) => {
  test('stops the start, if it holds all accounts', async () => {
    const dataDir = await copyOf(whole)
    const path = join(dataDir, 'accounts')
    const elsewhere = String((await harm(path)) ?? path)
    const before = await fingerprints(elsewhere)
    const { code, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', dataDir])
    expect(code).toBe(1)
    expectNamed(stderr, path, why)
    expect(await fingerprints(elsewhere)).toEqual(before)
  })

  test.each(INSIDE.filter(name => name === ACCOUNT || everywhere(harm)))(
    'stops its account and no other: %s',
    async name => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, name)
      const elsewhere = (await harm(path)) ?? path
      const before = await fingerprints(String(elsewhere))
      const server = await ownServer({ dataDir })
      expect(await ready(server)).toEqual({ status: 'ready', stopped: ['default.test'] })
      for (const answer of [await exportOf(server), await imageOf(server)]) expect(answer.status).toBe(503)
      await succeeded(server.control('GET', '/accounts/default.live/clock'))
      await server.stop()
      expectNamed(server.stderr(), path, why)
      expect(await fingerprints(String(elsewhere))).toEqual(before)
    },
  )

  test.runIf(everywhere(harm))('of images, is found also while the account is served', async () => {
    const server = await ownServer({ dataDir: await copyOf(whole) })
    expect((await imageOf(server)).status).toBe(200)
    const path = join(server.dataDir, ACCOUNT, 'images')
    const elsewhere = String((await harm(path)) ?? path)
    const before = await fingerprints(elsewhere)
    const kept = await upload(server)
    expect([kept.status, kept.body.error.message]).toEqual([
      503,
      'The image cannot be written now (the log of paysim says why); nothing was changed',
    ])
    expect((await imageOf(server)).status).toBe(503)
    expect((await exportOf(server)).status).toBe(503)
    expect(await fingerprints(elsewhere)).toEqual(before)
    await rm(path, { recursive: true })
    expect((await upload(server)).status).toBe(201)
    await server.stop()
    expectNamed(server.stderr(), path, why)
  })

  test.runIf(everywhere(harm)).each(['a reset', 'an import'])(
    'of the next edition, refuses %s, and nothing changes',
    async what => {
      const server = await ownServer({ dataDir: await copyOf(whole) })
      const { body: before } = await exportOf(server)
      const path = join(server.dataDir, ACCOUNT, 'past-3')
      await mkdir(path, { mode: 0o700 })
      await writeFile(join(path, 'layer-000007.jsonl'), 'mine')
      const elsewhere = String((await harm(path)) ?? path)
      const replace = () =>
        what === 'a reset'
          ? server.control('POST', '/accounts/default.test/reset')
          : server.control('PUT', '/accounts/default.test/import', { body: before })
      const refused = await replace()
      expect([refused.status, refused.body.error.message]).toEqual([
        503,
        expect.stringContaining('the log of paysim says why); nothing was changed'),
      ])
      expect((await exportOf(server)).body).toEqual(before)
      expect(await readFile(join(elsewhere, 'layer-000007.jsonl'), 'utf8')).toBe('mine')
      await rm(path, { recursive: true })
      await succeeded(replace())
      await server.stop()
      expectNamed(server.stderr(), path, why)
    },
  )
})

describe.skipIf(process.platform === 'win32')('a link in place of a folder', () => {
  test('to files of somebody else with names of ours leaves them there', async () => {
    const { dataDir, stop } = await ownServer()
    await stop()
    const elsewhere = await scratchDirectory()
    await writeFile(join(elsewhere, 'layer-000007.jsonl'), 'mine')
    const path = join(dataDir, ACCOUNT, 'past-1')
    await symlink(elsewhere, path)
    const again = await ownServer({ dataDir })
    // The last stop knew of no such folder, so it is found when the account is opened.
    expect((await exportOf(again)).status).toBe(503)
    expect(await ready(again)).toEqual({ status: 'ready', stopped: ['default.test'] })
    await again.stop()
    expectNamed(again.stderr(), path, 'is a symbolic link')
    expect(await readdir(elsewhere)).toEqual(['layer-000007.jsonl'])
  })

  test('with the mark of a change keeps that mark', async () => {
    const dataDir = await copyOf(whole)
    const elsewhere = await link(join(dataDir, ACCOUNT))
    await writeFile(join(elsewhere, 'uncommitted'), '')
    await ownServer({ dataDir })
    expect(await readdir(elsewhere)).toContain('uncommitted')
  })

  test('of a merchant to come is removed alone', async () => {
    const server = await ownServer()
    const elsewhere = await scratchDirectory()
    await writeFile(join(elsewhere, 'uncommitted'), 'mine')
    await symlink(elsewhere, join(server.dataDir, 'accounts/shop.test'))
    expect((await server.control('POST', '/merchants', { body: { id: 'shop' } })).status).toBe(201)
    expect(await readFile(join(elsewhere, 'uncommitted'), 'utf8')).toBe('mine')
    expect(await readdir(elsewhere)).toEqual(['uncommitted'])
  })

  test('of no merchant stops the start', async () => {
    const dataDir = await copyOf(whole)
    const path = join(dataDir, 'accounts/stranger.test')
    await symlink(await scratchDirectory(), path)
    const { code, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', dataDir])
    expect(code).toBe(1)
    expectNamed(stderr, path, 'belongs to no merchant')
  })
})

/** Which file it is may be known only when the directory was made. */
type Which = () => string
const NEEDED: [string, Which][] = [['the journal', () => `${ACCOUNT}/journal.jsonl`]]
const PART_OF_CHECKPOINT: [string, Which][] = [
  ['the checkpoint', () => `${PAST}/checkpoint.json`],
  ['the records of a layer', () => `${layer}.jsonl`],
  ['the index of a layer', () => `${layer}.index`],
]

describe.skipIf(process.platform === 'win32').each(kinds.filter(kind => kind !== OPEN))(
  'a file that is %s',
  (_, harm, why) => {
    test('stops the start, if it lists the merchants', async () => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, 'merchants.jsonl')
      const unchanged = await harmHalfWritten(harm, path)
      const { code, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', dataDir])
      expect(code).toBe(1)
      expectNamed(stderr, path, why)
      await unchanged()
    })

    test.each(NEEDED)('stops its account and no other: %s', async (_, which) => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, which())
      const unchanged = await harmHalfWritten(harm, path)
      const server = await ownServer({ dataDir })
      expect(await ready(server)).toEqual({ status: 'ready', stopped: ['default.test'] })
      expect((await exportOf(server)).status).toBe(503)
      await server.stop()
      expectNamed(server.stderr(), path, why)
      await unchanged()
    })

    test.each(PART_OF_CHECKPOINT)('is passed over, and the whole journal is read: %s', async (_, which) => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, which())
      const elsewhere = await harm(path)
      const before = await readFile(String(elsewhere ?? path))
      const server = await ownServer({ dataDir })
      expect((await historyOf(server)).body.data).toHaveLength(1)
      await server.stop()
      expectNamed(server.stderr(), path, why)
      if (elsewhere !== undefined) expect((await readFile(String(elsewhere))).equals(before)).toBe(true)
    })

    test('gives 503 to who reads it, if it is a segment, and the rest is served', async () => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, segment)
      await harm(path)
      const server = await ownServer({ dataDir })
      for (const answer of [await exportOf(server), await historyOf(server)])
        expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable'])
      await succeeded(server.control('GET', '/accounts/default.test/assets'))
      expect(await ready(server)).toEqual({ status: 'ready' })
      await server.stop()
      expectNamed(server.stderr(), path, why)
    })

    test('gives 503 to who asks for its images, if it is a pack', async () => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, ACCOUNT, 'images', 'pack-1')
      await harm(path)
      const server = await ownServer({ dataDir })
      for (const answer of [await imageOf(server), await exportOf(server)])
        expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable'])
      await server.stop()
      expectNamed(server.stderr(), path, why)
    })
  },
)

test.skipIf(process.platform === 'win32')(
  'a file that others can write, in folders that they cannot enter, is theirs no longer once it was opened',
  async () => {
    const dataDir = await copyOf(whole)
    const files = (await filesUnder(dataDir)).filter(path => !path.endsWith('.gitignore'))
    for (const path of files) await chmod(path, 0o666)
    const server = await ownServer({ dataDir })
    await succeeded(exportOf(server))
    expect((await imageOf(server)).status).toBe(200)
    const opened = files.filter(path => path.includes('default.test') || path.endsWith('merchants.jsonl'))
    expect(opened.length).toBeGreaterThan(5)
    for (const path of opened) expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o600])
  },
)

describe.skipIf(process.platform === 'win32')('beside the accounts, what is not a file', () => {
  const refusedWith = async (dataDir: string) => {
    const { code, stdout, stderr } = await serveUntilExit(['--json', '--port', '0', '--data', dataDir])
    expect([code, stdout]).toEqual([1, ''])
    return stderr
  }

  test('stops the start, and is named: a pipe at merchants.jsonl', async () => {
    const dataDir = await copyOf(whole)
    const path = join(dataDir, 'merchants.jsonl')
    await rm(path)
    execFileSync('mkfifo', [path])
    expectNamed(await refusedWith(dataDir), path, 'is not a regular file')
  })

  test.each(['server.json', 'server.json.new'])(
    'stops the start, and is named: a folder at %s',
    async name => {
      const dataDir = await copyOf(whole)
      const path = join(dataDir, name)
      await mkdir(path)
      expectNamed(
        await refusedWith(dataDir),
        path,
        'is a directory, but paysim needs a file there: move it away',
      )
      expect((await readdir(dataDir)).filter(file => file.startsWith('lock'))).toEqual([])
    },
  )
})

describe('a segment that is not there', () => {
  test('is reported as damage, with 503, if no old segment was ever removed', async () => {
    const dataDir = await copyOf(whole)
    await rm(join(dataDir, segment))
    const server = await ownServer({ dataDir })
    for (const answer of [await exportOf(server), await historyOf(server)])
      expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable'])
    await succeeded(server.control('GET', '/accounts/default.test/assets'))
    const kept = await openMerchant(server)
    await succeeded(kept.test.control('GET', '/export'))
    await server.stop()
    expect(server.stderr()).toMatch(/past-2 is damaged: the journal's entries 1 to \d+ are missing/)
  })

  test('is reported as damage, with 503, if it disappears while the account is served', async () => {
    const server = await ownServer({ dataDir: await copyOf(whole) })
    await succeeded(server.control('GET', '/accounts/default.test/clock'))
    const path = join(server.dataDir, segment)
    await rename(path, `${path}.away`)
    expect((await exportOf(server)).status).toBe(503)
    await rename(`${path}.away`, path)
    await succeeded(exportOf(server))
    await server.stop()
    expect(server.stderr()).toContain(`${path} is damaged: the journal's entries 1 to`)
  })
})
