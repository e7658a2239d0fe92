import { existsSync } from 'node:fs'
import { cp, link, mkdir, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { StartError, UnavailableError } from '../../src/engine/store/store-errors.ts'
import { accountOnDisk, fillWith } from '../support/engine/account-on-disk.ts'
import { createPayment } from '../support/engine/accounts.ts'
import { temporaryDirectory } from '../support/engine/temporary-directory.ts'
import { dump } from '../support/model/world-dump.ts'

/** A stopped account with layers, segments and entries after its checkpoint, and its world. */
async function stopped(payments = 22) {
  const folder = await temporaryDirectory()
  const filled = await accountOnDisk(folder)
  const ids = await fillWith(filled, payments)
  const world = dump(filled.account.world)
  await filled.account.close()
  return { folder, past: join(folder, 'past-1'), world, ids }
}

async function copyOf(folder: string): Promise<string> {
  const copy = await temporaryDirectory()
  await cp(folder, copy, { recursive: true })
  return copy
}

async function reopened(folder: string) {
  const opened = await accountOnDisk(folder)
  try {
    return { world: dump(opened.account.world), warnings: opened.warnings, seq: opened.checkpoints?.seq }
  } finally {
    await opened.account.close()
  }
}

const layersIn = async (past: string) =>
  (await readdir(past)).filter(name => name.endsWith('.jsonl') && name.startsWith('layer'))
const segmentsIn = async (past: string) =>
  (await readdir(past)).filter(name => name.startsWith('journal-')).sort()

describe('a start', () => {
  test('continues from the checkpoint, and reads only the entries after it', async () => {
    const { folder, past, world } = await stopped()
    const segments = await segmentsIn(past)
    expect(segments.length).toBeGreaterThan(1)
    // Nobody needs the first segments.
    for (const segment of segments.slice(0, -1)) await rm(join(past, segment))
    const { world: again, warnings, seq } = await reopened(folder)
    expect(again).toEqual(world)
    expect(warnings).toEqual([
      expect.stringMatching(/past-1: the entries 1 to \d+ of the history are missing/),
    ])
    expect(seq).toBe(20)
  })

  test('without a checkpoint reads the whole journal, and then writes a checkpoint', async () => {
    const { folder, past, world } = await stopped()
    for (const name of await readdir(past)) if (!name.startsWith('journal-')) await rm(join(past, name))
    const { world: again, warnings } = await reopened(folder)
    expect(again).toEqual(world)
    expect(warnings).toEqual([])
    expect((await readdir(past)).filter(name => name === 'checkpoint.json')).toEqual(['checkpoint.json'])
  })

  test('finds few layers, even after many checkpoints', async () => {
    const { past } = await stopped(100)
    expect((await layersIn(past)).length).toBeLessThan(10)
  })

  test('finds the history of a record that is only in the first segment', async () => {
    const { folder, ids } = await stopped()
    const { account } = await accountOnDisk(folder)
    const [first = ''] = ids
    expect(await account.journal.history(first)).toMatchObject([{ seq: 1 }])
    const lines: string[] = []
    for await (const line of account.journal.lines()) lines.push(line)
    expect(lines.map(line => JSON.parse(line).seq)).toEqual(ids.map((_, nth) => nth + 1))
    await account.close()
  })
})

describe('a start after a crash', () => {
  test('removes a layer that no checkpoint names', async () => {
    const { folder, past, world } = await stopped()
    const [layer = ''] = await layersIn(past)
    await cp(join(past, layer), join(past, 'layer-000099.jsonl'))
    expect((await reopened(folder)).world).toEqual(world)
    expect(await readdir(past)).not.toContain('layer-000099.jsonl')
  })

  test('takes back a segment that is still the open file', async () => {
    const { folder, past, world } = await stopped()
    const before = await segmentsIn(past)
    const last = Number(/-(\d+)\.jsonl$/.exec(before.at(-1) ?? '')?.[1])
    const name = `journal-${String(last + 1).padStart(12, '0')}-${String(last + 2).padStart(12, '0')}.jsonl`
    await link(join(folder, 'journal.jsonl'), join(past, name))
    expect((await reopened(folder)).world).toEqual(world)
    expect(await segmentsIn(past)).toEqual(before)
  })

  test('knows the end of an attempt that was in progress during checkpoints', async () => {
    const folder = await temporaryDirectory()
    const filled = await accountOnDisk(folder)
    const { account } = filled
    const endpoint = { url: 'http://127.0.0.1:1/', events: ['payment.expired'] }
    account.execute({ type: 'AddEndpoint', ...endpoint }, 'operator')
    const payment = createPayment(account)
    account.execute({ type: 'MovePayment', payment, trigger: 'expire' }, 'operator')
    await account.catchUp()
    const [delivery = ''] = account.world.openDeliveries
    expect(account.world.deliveries.get(delivery)).toMatchObject({ status: 'attempting' })
    await fillWith(filled, 10)
    const result = { status: 200, error: null, retryAfterMs: null, body: '', timestamp: 0, signature: '' }
    account.execute({ type: 'RecordAttempt', delivery, attempt: 1, result }, 'courier')
    await fillWith(filled, 10)
    const world = dump(account.world)
    const copy = await copyOf(folder)
    await account.close()
    const opened = await accountOnDisk(copy)
    expect(dump(opened.account.world)).toEqual(world)
    expect([...opened.account.world.deliveries.values()]).toMatchObject([{ status: 'delivered' }])
    await opened.account.close()
  })

  test('restores the state from every moment between two checkpoints', async () => {
    const folder = await temporaryDirectory()
    const filled = await accountOnDisk(folder)
    for (let nth = 0; nth < 13; nth++) {
      createPayment(filled.account)
      await filled.journal.durable(filled.account.world.seq)
      // While the checkpoint is being written, a copy is what a crash would leave.
      for (let moment = 0; moment < 4; moment++) {
        const copy = await copyOf(folder).catch(() => undefined)
        if (copy) expect((await reopened(copy)).world).toEqual(dump(filled.account.world))
      }
    }
    await filled.account.close()
  })
})

/** That no byte may be another one is in test/torture/damage.test.ts. */
describe('damage', () => {
  test.each(['missing', 'empty', 'damaged in its first line'])(
    'an open file that is %s stops the start, and no segment is lost',
    async how => {
      const { folder, past } = await stopped()
      const open = join(folder, 'journal.jsonl')
      await rm(join(past, 'checkpoint.json'))
      const before = await segmentsIn(past)
      const text = await readFile(open, 'utf8')
      if (how === 'missing') await rm(open)
      else await writeFile(open, how === 'empty' ? '' : text.replace('"after"', '"aftfr"'))
      await expect(reopened(folder)).rejects.toThrow(StartError)
      expect(await segmentsIn(past)).toEqual(before)
    },
  )

  test('of the checkpoint is reported, and the journal is read instead', async () => {
    const { folder, past, world } = await stopped()
    await writeFile(join(past, 'checkpoint.json'), '{}\n')
    const { world: again, warnings } = await reopened(folder)
    expect(again).toEqual(world)
    expect(warnings).toEqual([expect.stringContaining(`${past}: the checkpoint is damaged`)])
  })

  test('of a required segment stops the start, and the missing entries are named', async () => {
    const { folder, past } = await stopped()
    await rm(join(past, 'checkpoint.json'))
    const [, second = ''] = await segmentsIn(past)
    await rm(join(past, second))
    await expect(reopened(folder)).rejects.toThrow(/the journal's entries \d+ to \d+ are missing/)
  })
})

test('a reset leaves nothing of the old history', async () => {
  const { folder } = await stopped()
  const opened = await accountOnDisk(folder)
  await opened.account.rewrite([], 'another seed')
  const ids = await fillWith(opened, 6)
  const world = dump(opened.account.world)
  await opened.account.close()
  expect(await readdir(folder)).toEqual(['journal.jsonl', 'past-2'])
  expect(ids).toHaveLength(6)
  expect((await reopened(folder)).world).toEqual(world)
})

test('a history that cannot be read again leaves the world unchanged, and no file open', async () => {
  const opened = await accountOnDisk(await temporaryDirectory())
  const [oldest = ''] = await fillWith(opened, 22)
  const { account, journal } = opened
  const openFiles = async () => (existsSync('/proc/self/fd') ? (await readdir('/proc/self/fd')).length : 0)
  const before = await openFiles()
  const rollBack = vi
    .spyOn(journal, 'rollBack')
    .mockRejectedValue(new UnavailableError('The journal', undefined))
  account.stall()
  for (let attempt = 0; attempt < 20; attempt++) expect(await account.available()).toBe(false)
  expect(rollBack.mock.calls.length).toBeGreaterThan(20)
  expect(account.world.payments.get(oldest)).toMatchObject({ sortKey: { id: oldest } })
  rollBack.mockRestore()
  expect(await account.available()).toBe(true)
  expect(account.world.payments.get(oldest)).toMatchObject({ sortKey: { id: oldest } })
  expect(await openFiles()).toBe(before)
  await account.close()
})

/** The layers in a folder that this process has open. */
async function openLayers(folder: string): Promise<string[]> {
  if (!existsSync('/proc/self/fd')) return []
  const links = (await readdir('/proc/self/fd')).map(fd => readlink(`/proc/self/fd/${fd}`).catch(() => ''))
  const paths = (await Promise.all(links)).filter(path => path.startsWith(folder) && path.includes('layer-'))
  return paths.map(path => basename(path).slice(0, 'layer-000000'.length)).sort()
}

test('a checkpoint that cannot be written leaves no file open, and the next one is written', async () => {
  const folder = await temporaryDirectory()
  const opened = await accountOnDisk(folder)
  await fillWith(opened, 22)
  const before = await openLayers(folder)
  const inTheWay = join(folder, 'past-1', 'checkpoint.json.new')
  await mkdir(inTheWay)
  await fillWith(opened, 22)
  expect(opened.warnings.join()).toContain('no checkpoint could be written')
  expect(await openLayers(folder)).toEqual(before)
  await rm(inTheWay, { recursive: true })
  const { checkpoints } = opened
  const seq = checkpoints?.seq ?? 0
  await fillWith(opened, 22)
  expect(checkpoints?.seq).toBeGreaterThan(seq)
  await opened.account.close()
  expect(await openLayers(folder)).toEqual([])
})

test('layers that were merged are closed, also if their files cannot be removed', async () => {
  const { folder, past } = await stopped()
  const opened = await accountOnDisk(folder)
  const indexes = (await readdir(past)).filter(name => name.endsWith('.index'))
  expect(indexes.length).toBeGreaterThan(1)
  for (const name of indexes) {
    await rm(join(past, name))
    await mkdir(join(past, name))
  }
  await fillWith(opened, 44)
  const { layers } = JSON.parse(await readFile(join(past, 'checkpoint.json'), 'utf8'))
  const named = layers.map(({ name }: { name: string }) => name)
  expect(named).not.toContain(indexes[0]?.replace('.index', ''))
  expect(await openLayers(folder)).toEqual(existsSync('/proc/self/fd') ? named.sort() : [])
  await opened.account.close()
})
