import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sealLine } from '../../../src/engine/journal/journal-format.ts'
import { copyOf, filesUnder, fingerprints } from '../../support/disk/data-directory.ts'
import { accountOf, type Json, openMerchant } from '../../support/gateway/merchant.ts'
import { serveIn, serveUntilExit } from '../../support/gateway/serve-process.ts'
import { removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'
import { ownServer, recovered, restarted, sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'

/** A merchant is there whole or not at all, whatever happens while it is made, removed or set back. */

const refusedStart = (dataDir: string) => serveUntilExit(['--json', '--port', '0', '--data', dataDir])
const listOf = (dataDir: string) => join(dataDir, 'merchants.jsonl')
const idsOf = async (server: Server) =>
  (await server.control('GET', '/merchants')).body.data.map(({ id }: Json) => id).sort()

const shared = sharedServer()

/** The directory of a server that served nobody. */
let stopped: string
beforeAll(async () => {
  const { dataDir, stop } = await startServer()
  await stop()
  stopped = dataDir
  return () => removeDirectory(dataDir)
})

describe('concurrent creations of merchants', () => {
  test('with one id: one succeeds, the others fail, and the directory can be reopened', async () => {
    const server = await ownServer()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => server.control('POST', '/merchants', { body: { id: 'shop' } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422])
    expect(await idsOf(server)).toEqual(['default', 'shop'])
    const again = await restarted(server)
    expect(await idsOf(again)).toEqual(['default', 'shop'])
    const made = answers.find(({ status }) => status === 201)?.body.accounts[0]
    await createPayment(accountOf(again, { ...made, merchant: 'shop' }))
  })

  test('without an id: each gets its own', async () => {
    const server = shared()
    const answers = await Promise.all(Array.from({ length: 8 }, () => server.control('POST', '/merchants')))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(8)
  })
})

describe('a server that is killed', () => {
  test('a crash while merchants are created, removed and reset leaves each complete or absent', async () => {
    let server = await ownServer()
    for (let round = 0; round < 5; round++) {
      const body = { clock: { mode: 'virtual' }, webhooks: [{ url: 'http://127.0.0.1:9/' }] }
      const kept = await server.control('POST', '/merchants', { body: { id: `kept-${round}`, ...body } })
      expect(kept.status).toBe(201)
      const unanswered = [
        ...Array.from({ length: 4 }, (_, nth) =>
          server.control('POST', '/merchants', { body: { id: `new-${round}-${nth}`, ...body } }),
        ),
        server.control('DELETE', `/merchants/kept-${round}`),
        ...(round > 0 ? [server.control('POST', `/accounts/kept-${round - 1}.test/reset`)] : []),
      ].map(call => call.catch(() => undefined))
      // Each round is cut at another place: after so many answers.
      for (let nth = 0; nth < round; nth++) await Promise.race(unanswered.slice(nth))
      server = await recovered(server)
      const answers = (await Promise.all(unanswered.slice(0, 4))).filter(answer => answer?.status === 201)
      const ids = await idsOf(server)
      for (const answer of answers) expect(ids).toContain(answer?.body.id)
      for (const id of ids.filter((name: string) => name !== 'default')) {
        const endpoints = await server.control('GET', `/accounts/${id}.test/webhook-endpoints`)
        expect(endpoints.body.data, id).toHaveLength(1)
        expect((await server.control('GET', `/accounts/${id}.live/clock`)).body, id).toMatchObject({
          mode: 'virtual',
        })
      }
      const folders = new Set(ids.flatMap((id: string) => [`${id}.live`, `${id}.test`]))
      expect(new Set(await readdir(join(server.dataDir, 'accounts')))).toEqual(folders)
    }
  })

  test('a restart removes what an interrupted change left, and reports it', async () => {
    const dataDir = await copyOf(stopped)
    for (const half of ['half.test', 'half.live']) {
      await mkdir(join(dataDir, 'accounts', half))
      await writeFile(join(dataDir, 'accounts', half, 'uncommitted'), '')
    }
    const again = await ownServer({ dataDir })
    expect(again.stderr()).toMatch(/half\.test was incomplete.*removed/)
    expect((await again.control('POST', '/merchants', { body: { id: 'half' } })).status).toBe(201)
  })
})

test('a merchant whose folder could not be removed starts over empty under the same id', async () => {
  const server = await ownServer()
  const { test: before } = await openMerchant(server, { id: 'shop' })
  await createPayment(before)
  const folder = join(server.dataDir, 'accounts', 'shop.test')
  const kept = await copyOf(folder)
  await server.control('DELETE', '/merchants/shop')
  await cp(kept, folder, { recursive: true })
  const { test: after } = await openMerchant(server, { id: 'shop' })
  expect((await after.control('GET', '/payments')).body.data).toEqual([])
})

describe('a data directory that is incomplete or was changed by others', () => {
  test.each([
    ['its list of merchants', async (dataDir: string) => rm(listOf(dataDir)), /merchants\.jsonl is missing/],
    [
      'the merchant of a folder',
      async (dataDir: string) => {
        await mkdir(join(dataDir, 'accounts/stranger.test'))
        await writeFile(join(dataDir, 'accounts/stranger.test/journal.jsonl'), '')
      },
      /stranger\.test belongs to no merchant/,
    ],
    [
      'a byte of the list',
      async (dataDir: string) => {
        const text = await readFile(listOf(dataDir), 'utf8')
        await writeFile(listOf(dataDir), text.replace('Default', 'Defauld'))
      },
      /merchants\.jsonl:\d+: this journal line is damaged/,
    ],
  ])('is refused and left unchanged, and the error names the problem: %s', async (_, harm, why) => {
    const dataDir = await copyOf(stopped)
    await harm(dataDir)
    const before = await fingerprints(dataDir)
    const { code, stderr } = await refusedStart(dataDir)
    expect([code, stderr]).toEqual([1, expect.stringMatching(why)])
    expect(stderr).not.toMatch(/^\s+at /m)
    expect(await fingerprints(dataDir)).toEqual(before)
  })

  test('with a path as a merchant id creates nothing outside', async () => {
    const dataDir = await copyOf(stopped)
    await rewritten(dataDir, text => text.replaceAll('"id":"default"', '"id":"../../escaped"'))
    const { code, stderr } = await refusedStart(dataDir)
    expect([code, stderr]).toEqual([1, expect.stringContaining('../../escaped')])
    expect(await readdir(join(dataDir, '..'))).not.toContain('escaped.test')
  })
})

describe.skipIf(process.platform === 'win32')('content of a data directory', () => {
  test('is accessible only to its owner, whatever the umask', async () => {
    const before = process.umask(0)
    onTestFinished(() => {
      process.umask(before)
    })
    const server = await ownServer()
    await createPayment((await openMerchant(server)).test)
    for (const path of await filesUnder(server.dataDir))
      expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o600])
    for (const path of ['', 'accounts', 'accounts/default.test'])
      expect([path, (await stat(join(server.dataDir, path))).mode & 0o777]).toEqual([path, 0o700])
  })

  test('server.json is not written through a link', async () => {
    const dataDir = await copyOf(stopped)
    const elsewhere = join(await scratch(), 'target')
    await writeFile(elsewhere, 'mine')
    await symlink(elsewhere, join(dataDir, 'server.json'))
    await ownServer({ dataDir })
    expect(await readFile(elsewhere, 'utf8')).toBe('mine')
    expect((await stat(join(dataDir, 'server.json'))).mode & 0o777).toBe(0o600)
  })

  const asRoot = process.getuid?.() === 0
  if (!asRoot)
    console.warn('Files of another user are not tested here: only root can change the owner of a file')

  test.skipIf(!asRoot)('is refused and left unchanged if the directory belongs to another user', async () => {
    const dataDir = await copyOf(stopped)
    await chown(dataDir, 12_345, 12_345)
    const before = await fingerprints(dataDir)
    const { code, stderr } = await refusedStart(dataDir)
    expect([code, stderr]).toEqual([1, expect.stringContaining('belongs to another user (uid 12345)')])
    expect(await fingerprints(dataDir)).toEqual(before)
  })

  test.skipIf(!asRoot)("another user's server.json is replaced by a file of our own", async () => {
    const dataDir = await copyOf(stopped)
    const path = join(dataDir, 'server.json')
    await writeFile(path, 'not mine', { mode: 0o666 })
    await chown(path, 12_345, 12_345)
    await ownServer({ dataDir })
    const { uid, mode } = await stat(path)
    expect([uid, mode & 0o777]).toEqual([0, 0o600])
  })

  test('is refused if other users can write to the directory', async () => {
    const dataDir = await copyOf(stopped)
    await chmod(dataDir, 0o770)
    const { code, stderr } = await refusedStart(dataDir)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`chmod 700 ${dataDir}`)])
  })
})

test('of several servers that find a dead lock at once, only one runs', async () => {
  const first = await ownServer()
  await first.kill()
  for (let round = 0; round < 3; round++) {
    const starts = await Promise.allSettled(
      Array.from({ length: 4 }, () => serveIn(first.dataDir, ['--port', '0', '--data', first.dataDir])),
    )
    const served = starts.flatMap(start => (start.status === 'fulfilled' ? start.value : []))
    expect(served).toHaveLength(1)
    await served[0]?.stop('SIGKILL')
  }
})

async function scratch(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'paysim-gateway-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** Changes the list of merchants, as one does who can write its checksums. */
async function rewritten(dataDir: string, change: (text: string) => string): Promise<void> {
  const lines = (await readFile(listOf(dataDir), 'utf8')).trimEnd().split('\n')
  const changed = lines.map(line => {
    const { crc: _, ...content } = JSON.parse(line)
    return sealLine(change(JSON.stringify(content)))
  })
  await writeFile(listOf(dataDir), changed.join(''))
  await rm(join(dataDir, 'seal.jsonl'))
}
