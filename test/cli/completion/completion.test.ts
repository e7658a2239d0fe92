import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asked, SHELLS, type Shell } from '../../support/cli/shells.ts'
import { runBinary } from '../../support/gateway/server.ts'
import { fileServer } from '../../support/gateway/shared-server.ts'

/** What a shell offers is what the commands take: the tree that help is made of, asked for by the shell itself. */

interface Value {
  choices: string[]
  file: boolean
}
interface Node {
  words: string[]
  commands: Node[]
  arguments: Value[]
  options: { names: string[]; value: (Value & { name: string }) | null }[]
}

const running = fileServer()
const PATIENCE = { timeout: 120_000 }

let root: Node
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paysim-completion-'))
  await Promise.all([
    writeFile(join(folder, 'keys file.txt'), ''),
    writeFile(join(folder, 'slip.jpg'), ''),
    ...SHELLS.map(async ({ name }) => {
      const { code, stdout, stderr } = await runBinary(['completion', name])
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      await writeFile(join(folder, `script.${name}`), stdout)
    }),
  ])
  root = JSON.parse((await runBinary(['completion', 'json'])).stdout)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const everyNode = (node: Node): Node[] => [node, ...node.commands.flatMap(everyNode)]
/** A shell reads * before any command sees it: it is not offered. */
const isPlain = (word: string) => word !== '*'
const sorted = (words: readonly string[]) => [...new Set(words)].sort()

/** Each place of the tree: the words so far, and all that may come next. */
function questions(shell: Shell['name']): { asked: Asked; wanted: string[] }[] {
  return everyNode(root).flatMap(node => {
    const before = ['paysim', ...node.words]
    const names = node.options.flatMap(option => option.names)
    const words = [
      ...node.commands.map(({ words }) => words.at(-1) ?? ''),
      ...node.arguments.flatMap(({ choices }) => choices),
    ]
    const values = node.options.flatMap(({ names, value }) =>
      value && value.choices.length > 0
        ? askedBy(names, shell).map(name => ({ asked: [...before, name, ''], wanted: value.choices }))
        : [],
    )
    return [
      { asked: [...before, '-'], wanted: names },
      ...(words.length > 0 ? [{ asked: [...before, ''], wanted: words }] : []),
      ...values,
    ]
  })
}

/** In the script of fish, all names of an option stand in one line before its values. */
const askedBy = (names: readonly string[], shell: Shell['name']) =>
  shell === 'fish' ? names.slice(-1) : names

describe.each(SHELLS)('$name', ({ name, missing, answers }) => {
  if (missing !== undefined) console.log(`completion is not tried: ${missing}`)

  // Fish asks itself hundreds of questions about each.
  test.skipIf(missing)('completes every command, option and value, and nothing else', PATIENCE, () => {
    const all = questions(name)
    expect(all.length).toBeGreaterThan(60)
    const offered = answers(
      folder,
      all.map(({ asked }) => asked),
    )
    const wrong = all.flatMap(({ asked, wanted }, nth) => {
      const [got, due] = [sorted(offered[nth] ?? []), sorted(wanted.filter(isPlain))]
      return JSON.stringify(got) === JSON.stringify(due) ? [] : [{ asked: asked.join(' '), got, due }]
    })
    expect(wrong).toEqual([])
  })

  test.skipIf(missing)('completes partial words, also after =, and files where files are expected', () => {
    const offered = answers(folder, [
      ['paysim', 'payme'],
      ['paysim', 'payments', 'get', '--out'],
      ['paysim', 'payments', 'get', '-o', 'j'],
      ['paysim', 'payments', 'get', '--key-file', 'ke'],
      ['paysim', 'serve', '--port', ''],
      ['paysim', 'exec', '--', 'sl'],
    ])
    expect(offered).toEqual([
      ['payments'],
      ['--output'],
      ['json', 'jsonl'],
      ['keys file.txt'],
      [],
      ['slip.jpg'],
    ])
  })
})

describe.each(SHELLS)('what only this machine knows, in $name', ({ missing, answers }) => {
  const known = {
    profiles: ['paysim', 'payments', 'get', '--profile', ''],
    profile: ['paysim', 'profile', 'use', 'st'],
    accounts: ['paysim', 'payments', 'get', '--account', ''],
    live: ['paysim', 'sim', 'clock', 'show', '--account', 'default.l'],
    methods: ['paysim', 'payments', 'create', '--payment-method', 'th_pro'],
  }
  const asked = Object.values(known)

  test.skipIf(missing)('completion offers profiles, local accounts and payment methods', async () => {
    const server = running()
    const shop = await server.merchant({})
    const pair = { base_url: 'https://api.example', public_key: 'pk_test_a', secret_key: 'sk_test_b' }
    await mkdir(join(folder, 'paysim'), { recursive: true })
    const book = JSON.stringify({ current: null, profiles: { staging: pair, shop: pair } })
    await writeFile(join(folder, 'paysim', 'profiles.json'), book, { mode: 0o600 })
    // Whoever presses Tab waits half a second for the simulator, which is not enough on a busy machine.
    await expect
      .poll(() => {
        const [profiles, ...others] = answers(folder, asked, { PAYSIM_DATA: server.dataDir })
        return [sorted(profiles ?? []), ...others]
      })
      .toEqual([
        ['shop', 'staging'],
        ['staging'],
        expect.arrayContaining(['default.test', 'default.live', shop.test.id]),
        ['default.live'],
        ['th_promptpay'],
      ])
  })

  test.skipIf(missing)('completion offers and prints nothing for values it cannot find out', async () => {
    const broken = join(folder, 'broken')
    await mkdir(join(broken, 'paysim'), { recursive: true })
    await writeFile(join(broken, 'paysim', 'profiles.json'), 'no JSON', { mode: 0o644 })
    await writeFile(
      join(broken, 'server.json'),
      JSON.stringify({ control_url: 'http://127.0.0.1:1/_paysim' }),
    )
    const offered = answers(folder, asked, { PAYSIM_DATA: broken, XDG_CONFIG_HOME: broken })
    expect(offered).toEqual([[], [], [], [], ['th_promptpay']])
  })

  test.skipIf(missing)('completion offers files for bodies, values after commas, otherwise nothing', () => {
    const offered = answers(folder, [
      ['paysim', 'payments', 'create', '--data', '@sl'],
      ['paysim', 'payments', 'create', '--data', 'sl'],
      ['paysim', 'request', 'POST', '/x', '--data', '@sl'],
      ['paysim', 'payouts', 'list', '--status', 'failed,'],
      ['paysim', 'payouts', 'list', '--status', 'failed,su'],
      ['paysim', 'payouts', 'list', '--status', 'failed,cancelled,f'],
      ['paysim', 'payments', 'wait', 'pi_1', '--until', 'expired,ca'],
      ['paysim', 'payments', 'get', ''],
      ['paysim', 'payouts', 'list', '--limit', ''],
      ['paysim', 'payouts', 'list', '--cursor', ''],
      ['paysim', 'sim', 'clock', 'advance', ''],
    ])
    expect(sorted(offered[3] ?? [])).toEqual(
      ['cancelled', 'processing', 'requires_approval', 'succeeded'].map(word => `failed,${word}`),
    )
    expect(offered.filter((_, nth) => nth !== 3)).toEqual([
      ['@slip.jpg'],
      ['slip.jpg'],
      ['@slip.jpg'],
      ['failed,succeeded'],
      [],
      ['expired,cancelled'],
      [],
      [],
      [],
      [],
    ])
    const [empty = []] = answers(folder, [['paysim', 'payments', 'create', '--data', '']])
    expect(empty).toContain('@slip.jpg')
  })
})

test('bash completes --output=json, which it splits into three words', () => {
  const [bash] = SHELLS
  const before = ['paysim', 'payments', 'get', '--output']
  expect(
    bash?.answers(folder, [
      [...before, '='],
      [...before, '=', 'js'],
    ]),
  ).toEqual([
    ['human', 'json', 'jsonl', 'yaml', 'csv'],
    ['json', 'jsonl'],
  ])
})

test('printing a script twice gives the same text', async () => {
  const { stdout } = await runBinary(['completion', 'zsh'])
  expect(stdout).toBe(await readFile(join(folder, 'script.zsh'), 'utf8'))
})

test.each([
  [['completion', 'bsh'], 'Did you mean bash?'],
  [['completion'], 'shell'],
])('paysim %j is a usage error', async (args, told) => {
  expect(await runBinary(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(told) })
})

test('the bash script has valid syntax', () => {
  expect(spawnSync('bash', ['-n', join(folder, 'script.bash')], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})
