import { spawnSync } from 'node:child_process'
import { chmod, lstat, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openWorkplace } from '../../support/cli/workplace.ts'

/** The file that holds the profiles, and with them keys. */

let place: Awaited<ReturnType<typeof openWorkplace>>
let file: string
async function begin(settings?: Parameters<typeof openWorkplace>[0]) {
  place = await openWorkplace(settings)
  onTestFinished(place.close)
  file = join(place.path('.'), '..', 'home', 'config', 'paysim', 'profiles.json')
}
beforeEach(() => begin())
/** For commands that run at the same time, and for what a process says only once. */
const inProcessesOfTheirOwn = () => begin({ apart: true })

const add = (name: string) =>
  place.paysim(['profile', 'add', name, '--base-url', 'https://api.example', '--key-file', '-'], {
    input: `pk_test_${name}:sk_test_${name}`,
  })
const list = () => place.paysim(['profile', 'list', '-o', 'json'])
const names = async () => Object.keys(JSON.parse(await readFile(file, 'utf8')).profiles).sort()
const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test.skipIf(process.platform === 'win32')('only the owner can read the file and its folder', async () => {
  await add('shop')
  expect([await modeOf(file), await modeOf(dirname(file))]).toEqual([0o600, 0o700])
})

test.skipIf(process.platform === 'win32')(
  'a file that others can read causes a warning, and the next change corrects it',
  async () => {
    await inProcessesOfTheirOwn()
    await add('shop')
    await chmod(file, 0o644)
    await chmod(dirname(file), 0o755)
    // What a process left that was killed as it wrote.
    await writeFile(join(dirname(file), '.profiles.json.tmp'), '{', { mode: 0o666 })
    const run = await list()
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('other users can read') })
    expect(run.stderr.match(/other users can read/g)).toHaveLength(1)
    await add('till')
    expect([await modeOf(file), await modeOf(dirname(file))]).toEqual([0o600, 0o700])
    expect(await list()).toMatchObject({ code: 0, stderr: '' })
  },
)

test("concurrent adds do not lose each other's profiles", async () => {
  await inProcessesOfTheirOwn()
  const all = Array.from({ length: 12 }, (_, nth) => `shop-${nth}`)
  const runs = await Promise.all(all.map(add))
  expect(runs.map(({ code, stderr }) => [code, stderr]).filter(([code]) => code !== 0)).toEqual([])
  expect(await names()).toEqual(all.sort())
})

test('only one of several concurrent adds gets the same name', async () => {
  await inProcessesOfTheirOwn()
  const runs = await Promise.all([add('shop'), add('shop'), add('shop')])
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 2, 2])
})

test('the lock of a killed process does not keep others out', async () => {
  await add('shop')
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await writeFile(`${file}.lock`, String(pid))
  expect(await add('till')).toMatchObject({ code: 0 })
  expect(await names()).toEqual(['shop', 'till'])
})

test.each([
  ['no JSON', '{"profiles": {'],
  ['a list', '[]'],
  ['invalid profiles', '{"profiles": {"shop": {"base_url": 7}}}'],
])('a file with %s is reported, and not overwritten', async (_, contents) => {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, contents, { mode: 0o600 })
  expect(await list()).toMatchObject({ code: 2, stderr: expect.stringContaining(file) })
  expect(await add('shop')).toMatchObject({ code: 2 })
  expect(await readFile(file, 'utf8')).toBe(contents)
})

test.skipIf(process.platform === 'win32')('a link to the real file stays a link', async () => {
  await add('shop')
  const elsewhere = place.path('my-profiles.json')
  await rename(file, elsewhere)
  await symlink(elsewhere, file)
  expect(await add('till')).toMatchObject({ code: 0 })
  expect((await lstat(file)).isSymbolicLink()).toBe(true)
  expect(await names()).toEqual(['shop', 'till'])
})

test.skipIf(process.platform === 'win32')('a folder that cannot be written is a usage error', async () => {
  await mkdir(dirname(dirname(file)), { recursive: true })
  await writeFile(dirname(file), 'in the way')
  expect(await add('shop')).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot (read|write)/) })
})
