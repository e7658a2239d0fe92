import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { complete } from '../../../src/cli/completion.ts'
import { SHELLS } from '../../support/cli/shells.ts'
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
function questions(): { asked: string[]; wanted: string[] }[] {
  return everyNode(root).flatMap(node => {
    const names = node.options.flatMap(option => option.names)
    const words = [
      ...node.commands.map(({ words }) => words.at(-1) ?? ''),
      ...node.arguments.flatMap(({ choices }) => choices),
    ]
    const values = node.options.flatMap(({ names, value }) =>
      value && value.choices.length > 0
        ? names.map(name => ({ asked: [...node.words, name, ''], wanted: value.choices }))
        : [],
    )
    return [
      { asked: [...node.words, '-'], wanted: names },
      ...(words.length > 0 ? [{ asked: [...node.words, ''], wanted: words }] : []),
      ...values,
    ]
  })
}

/** What `paysim __complete` answers: what the shell adds, and the suggestions. */
async function answered(...asked: string[]): Promise<{ kind: string; found: string[] }> {
  const [kind = '', ...lines] = (await complete(COMMANDS, asked)).split('\n')
  return { kind, found: lines.slice(0, -1) }
}

test('every command, option and value is suggested, and nothing else', PATIENCE, async () => {
  const all = questions()
  expect(all.length).toBeGreaterThan(60)
  const wrong: unknown[] = []
  for (const { asked, wanted } of all) {
    const { found } = await answered('fish', ...asked)
    const [got, due] = [sorted(found.map(line => line.split('\t')[0] ?? '')), sorted(wanted.filter(isPlain))]
    if (JSON.stringify(got) !== JSON.stringify(due)) wrong.push({ asked, got, due })
  }
  expect(wrong).toEqual([])
})

test('zsh and fish get the descriptions, bash only the words', async () => {
  expect((await answered('fish', 'payments', 'ge')).found).toEqual(['get\tshow a payment'])
  expect((await answered('zsh', 'payments', 'ge')).found).toEqual(['get:show a payment'])
  expect((await answered('bash', 'ge', 'payments', 'ge')).found).toEqual(['get'])
  expect((await answered('fish', 'payments', 'get', '--outp')).found).toEqual([
    expect.stringMatching(/^--output\t\w/),
  ])
})

test('bash gets a name so that it means only a file, and without what was typed before @ or =', async () => {
  const evil = "it's $(reboot).jpg"
  const quoted = "it\\'s\\ \\$\\(reboot\\).jpg"
  const before = process.cwd()
  await mkdir(join(folder, 'names', 'more'), { recursive: true })
  await Promise.all([evil, 'line\nfeed', '.hidden'].map(name => writeFile(join(folder, 'names', name), '')))
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
  const data = ['payments', 'create', '--data']
  const whole = { kind: ':nospace', found: [`@names/${quoted}`, '@names/more/'] }
  expect(await answered('bash', '@names/', ...data, '@names/')).toEqual(whole)
  const rest = { kind: ':nospace', found: [`names/${quoted}`, 'names/more/'] }
  expect(await answered('bash', 'names/', ...data, '@', 'names/')).toEqual(rest)
  expect(await answered('bash', 'names/', ...data, '=@', 'names/')).toEqual(rest)
  const one = await answered('bash', "names/it\\'s", ...data, '@', "names/it\\'s")
  expect(one.found).toEqual([`names/${quoted}`])
  expect((await answered('fish', ...data, '@names/.')).found).toEqual(['@names/.hidden\t'])
  expect((await answered('fish', ...data, '@nowhere/')).found).toEqual([])
})

test.each([
  [['payments', 'get', '--', ''], ':files'],
  [['payments', 'create', '--data', 'sl'], ':files'],
  [['payments', 'get', '--key-file=x'], ':files'],
  [['payments', 'get', ''], ':words'],
])('after %j, the shell adds %s', async (words, kind) => {
  expect(await answered('fish', ...words)).toEqual({ kind, found: [] })
})

test('another shell gets nothing', async () => {
  expect(await complete(COMMANDS, ['tcsh', ''])).toBe('')
  expect(await complete(COMMANDS, [])).toBe('')
})

describe.each(SHELLS)('$name', ({ missing, answers, answersOfProgram }) => {
  if (missing !== undefined) console.log(`completion is not tried: ${missing}`)

  test.skipIf(missing)('completes partial words, also after =, and files where they belong', async () => {
    const offered = await answers({ folder }, [
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

  test.skipIf(missing)('runs the program that printed the script if the name is an alias', async () => {
    const asked = [
      ['paysim', 'payme'],
      ['paysim', 'payments', 'get', '-o', 'j'],
    ]
    expect(await answersOfProgram({ folder }, asked)).toEqual([['payments'], ['json', 'jsonl']])
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
      .poll(async () => {
        const env = { PAYSIM_DATA: server.dataDir }
        const [profiles, ...others] = await answers({ folder, env }, asked)
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
    const env = { PAYSIM_DATA: broken, XDG_CONFIG_HOME: broken }
    const offered = await answers({ folder, env }, asked)
    expect(offered).toEqual([[], [], [], [], ['th_promptpay']])
  })

  test.skipIf(missing)('completion offers files for bodies, values after commas, else nothing', async () => {
    const offered = await answers({ folder }, [
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
      ['paysim', 'payments', 'create', '--data', ''],
    ])
    const empty = offered.pop() ?? []
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
    expect(empty).toContain('@slip.jpg')
  })
})

test('bash completes --output=json, which it splits into three words', async () => {
  const [bash] = SHELLS
  const before = ['paysim', 'payments', 'get', '--output']
  expect(
    await bash.answers({ folder }, [
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
