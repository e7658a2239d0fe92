import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { HTTP_FAULT_TYPES, WEBHOOK_FAULT_TYPES } from '../../src/contract/control/faults.ts'
import { removeDirectory, runBinary, type Server, startServer } from '../support/gateway/server.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/provider.md')

describe('the examples of docs/provider.md', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({ args: ['--ephemeral'] })
  })
  afterAll(async () => {
    await server.stop()
    await removeDirectory(server.dataDir)
  })

  test.for(
    [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(
      ([, text = '']) => [firstLine(text), text] as const,
    ),
  )('are accepted: %s', async ([, text]) => {
    const list = parse(text) as Record<string, unknown>[]
    const kind = list.every(entry => 'on' in entry) ? 'faults' : 'rules'
    const answer = await server.control('PUT', `/accounts/default.test/${kind}`, { body: { [kind]: list } })
    expect([answer.status, answer.body?.error?.details]).toEqual([200, undefined])
    expect(answer.body[kind]).toEqual(list)
  })
})

test('the example of a `match` on a call does what it says', async () => {
  const [, script = ''] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? []
  const paysim = `paysim() { "${process.execPath}" "$PAYSIM_BINARY" "$@"; }`
  const binary = { PAYSIM_BINARY: new URL('../../bin/paysim.js', import.meta.url).pathname }
  const all = ['exec', '--', 'sh', '-c', `${paysim}\n${script}`]
  const { code, stdout, stderr } = await runBinary(all, { env: binary })
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('A fault that you set returns 503')
  expect(stdout).toContain('order-8')
})

test.for([
  ['On a call', HTTP_FAULT_TYPES],
  ['On a webhook', WEBHOOK_FAULT_TYPES],
] as const)('docs/provider.md has a row for each type of fault: %s', ([title, types]) => {
  const [, section = ''] = page.split(`### ${title}\n`)
  const [table = ''] = section.split('\n```')
  expect([...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, type]) => type)).toEqual(['type', ...types])
})

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

interface StandardRule {
  match: { kind: 'payment' | 'payout'; merchant_reference?: string | string[]; amount?: string }
}

const referencesOf = ({ match }: StandardRule) => [match.merchant_reference ?? []].flat()

/** A row a suffix: what asks for it, and every duration, code and message that it leads to. */
describe('the outcomes on demand of docs/provider.md', () => {
  const rules = (parse(read('scenarios/default.yaml')) as { provider: StandardRule[] }).provider
  const rows = [
    ...page.matchAll(/^\| (`-[a-z-]+`(?: or `-[a-z-]+`)*) \|(?: `(\d+)` \|)? (.*) \|$/gm),
  ].flatMap(([, suffixes = '', amount, text = '']) =>
    [...suffixes.matchAll(/`-([a-z-]+)`/g)].map(([, suffix = ''], nth) => ({
      kind: amount ? 'payment' : 'payout',
      suffix,
      // An amount has the effect of each suffix beside it, and is listed once.
      amount: nth === 0 ? amount : undefined,
      text,
    })),
  )
  const asked = (kind: string) => rules.filter(({ match }) => match.kind === kind)
  const suffixes = (kind: string) =>
    asked(kind).flatMap(rule => referencesOf(rule).map(reference => reference.replace(/^\*-/, '')))

  test.for(['payment', 'payout'])('include every outcome for a %s', kind => {
    expect(rows.filter(row => row.kind === kind).map(({ suffix }) => suffix)).toEqual(suffixes(kind))
  })

  test('name the amounts with the same effect', () => {
    for (const { kind, suffix, amount } of rows) {
      if (amount === undefined) continue
      const [byReference, byAmount] = [`*-${suffix}`, amount].map(wanted =>
        rules.find(
          rule => rule.match.kind === kind && [...referencesOf(rule), rule.match.amount].includes(wanted),
        ),
      )
      expect(effects(byAmount), amount).toEqual(effects(byReference))
    }
    expect(rows.flatMap(({ amount }) => amount ?? [])).toEqual(
      rules.flatMap(({ match }) => match.amount ?? []),
    )
  })

  test('say what happens, and when', () => {
    for (const { kind, suffix, text } of rows) {
      const rule = rules.find(one => one.match.kind === kind && referencesOf(one).includes(`*-${suffix}`))
      for (const word of wordsOf(effects(rule))) expect(text, suffix).toContain(word)
    }
  })
})

function effects(rule: object | undefined): unknown {
  const { name: _, match: __, ...rest } = (rule ?? {}) as Record<string, unknown>
  return rest
}

/** The texts of a value that a reader must be told: not the verbs of the grammar, and no 0s. */
function wordsOf(value: unknown): string[] {
  if (typeof value === 'string')
    return ['0s', 'succeeded', 'failed', 'accept', 'reject'].includes(value) ? [] : [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(wordsOf) : []
}
