import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UsageError } from '../../../src/cli/errors/cli-errors.ts'
import { readProfiles } from '../../../src/cli/profiles/profiles.ts'
import { ContractError, resolveContract } from '../../../src/contract/resolve-contract.ts'
import { apply } from '../../../src/domain/apply.ts'
import { indexCatalogue, readCatalogue } from '../../../src/domain/catalogue.ts'
import { EntryChecker } from '../../../src/domain/check-entries.ts'
import type { Entry } from '../../../src/domain/events.ts'
import { readFaults } from '../../../src/domain/faults.ts'
import { compileRule, readRules } from '../../../src/domain/rules/rule.ts'
import { MutableWorld } from '../../../src/domain/world.ts'
import { FileJournal } from '../../../src/engine/journal/file-journal.ts'
import { ChangeFile } from '../../../src/engine/store/change-log.ts'
import { Registry } from '../../../src/engine/store/registry.ts'
import { DamagedError, StartError } from '../../../src/engine/store/store-errors.ts'
import { valueOfYaml as parse } from '../../../src/files/yaml-document.ts'
import { readScenario, ScenarioError } from '../../../src/scenario/index.ts'
import { filesIn, putBack } from '../disk/folder-contents.ts'
import { accountOnDisk } from '../engine/account-on-disk.ts'
import { dump } from '../model/world-dump.ts'
import type { Chance } from './chance.ts'
import { damagedBytes, damagedText, damagedValue } from './damage.ts'

/** A kind of file: it is damaged, and then read as paysim reads it. */
export interface FileKind {
  readonly name: string
  /** Reading it takes as long as ten others. */
  readonly isSlow?: true
  /** Throws only if paysim threw something that is not an error for people. */
  try(chance: Chance): Promise<{ readonly input: string; readonly read: () => Promise<void> }>
}

/** Lets through what paysim reports to people. */
async function expecting(
  types: readonly (new (...args: never[]) => Error)[],
  work: () => unknown,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!types.some(type => error instanceof type)) throw error
  }
}

export interface Corpus {
  readonly scenarios: readonly string[]
  readonly catalogue: unknown
  readonly journal: string
  readonly registry: string
  /** The folder of an account with checkpoints and segments. */
  readonly withPast: string
}

export async function corpusFrom(dataDir: string, account: string, withPast: string): Promise<Corpus> {
  const names = (await readdir('scenarios')).filter(name => name.endsWith('.yaml'))
  return {
    scenarios: await Promise.all(names.map(name => readFile(join('scenarios', name), 'utf8'))),
    catalogue: JSON.parse(await readFile('fixtures/catalogue.json', 'utf8')),
    journal: await readFile(join(dataDir, 'accounts', account, 'journal.jsonl'), 'utf8'),
    registry: await readFile(join(dataDir, 'merchants.jsonl'), 'utf8'),
    withPast,
  }
}

const CONTRACT = {
  'create.path': '/v2/charges',
  'errors.body': 'problem',
  'hosted.page': '30m',
  'events.retry': ['0s', '5s', '1h'],
  'fields.absent': 'omit',
  'status.receipt': 202,
}
const PROFILES = {
  current: 'shop',
  profiles: {
    shop: {
      base_url: 'http://127.0.0.1:7297',
      public_key: 'pk_test_a',
      secret_key: 'sk_test_b',
      contract: CONTRACT,
    },
  },
}

/** The library reports an unknown alias with a ReferenceError, which the callers of `parse` show as a message. */
const isYaml = (error: unknown) => error instanceof Error && !/^(Type|Range)Error$/.test(error.name)

export function fileKinds(corpus: Corpus, folder: string): FileKind[] {
  const { scenarios, catalogue, journal, registry, withPast } = corpus
  const inText = (
    name: string,
    texts: readonly string[],
    read: (text: string) => Promise<void>,
  ): FileKind => ({
    name,
    async try(chance) {
      const input = damagedText(chance, chance.of(texts), texts)
      return { input, read: () => read(input) }
    },
  })
  const inValue = (name: string, right: unknown, read: (value: unknown) => unknown): FileKind => ({
    name,
    async try(chance) {
      // The value as it is after it was written to a file and read again.
      const value: unknown = JSON.parse(JSON.stringify(damagedValue(chance, right)) ?? 'null')
      return { input: JSON.stringify(value), read: async () => void (await read(value)) }
    },
  })
  const onDisk = (name: string, right: string, read: (path: string) => Promise<void>): FileKind => ({
    name,
    async try(chance) {
      const bytes = damagedBytes(chance, Buffer.from(right))
      const path = join(folder, name)
      return {
        input: bytes.toString('base64'),
        read: async () => {
          await writeFile(path, bytes, { mode: 0o600 })
          await read(path)
        },
      }
    },
  })
  const lines = journal
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  const entries = lines.filter(line => line.seq > 0).map(({ crc: _, ...entry }) => entry)
  return [
    inText('scenario', scenarios, text =>
      expecting([ScenarioError], () => readScenario(text, { file: 'a.yaml', folder })),
    ),
    inText('yaml', scenarios, async text => {
      try {
        parse(text)
      } catch (error) {
        if (!isYaml(error)) throw error
      }
    }),
    inValue('scenario.json', parse(scenarios[0] ?? ''), value =>
      expecting([ScenarioError], () => readScenario(JSON.stringify(value) ?? '', { file: 'a.json', folder })),
    ),
    inValue('catalogue', catalogue, value => {
      const read = readCatalogue(value)
      if ('catalogue' in read) indexCatalogue(read.catalogue.data)
    }),
    inValue('contract', CONTRACT, value =>
      expecting([ContractError], () => resolveContract(value as Record<string, unknown>)),
    ),
    inValue('rules', { rules: rulesOf(scenarios) }, value => {
      const read = readRules(value)
      if (!('problems' in read)) for (const { data } of read.rules) compileRule(data)
    }),
    inValue(
      'faults',
      { faults: [{ on: 'webhook', match: { type: 'payment.succeeded' }, type: 'delay', delay: '5s' }] },
      value => void readFaults(value, ['POST /payment_intents']),
    ),
    inValue('import', entries, value => replayChecked(Array.isArray(value) ? value : [value])),
    onDisk('journal.jsonl', journal, path =>
      expecting([StartError], async () => {
        const options = { sync: false, onEntry() {}, onFailure() {}, warn() {} }
        await (await FileJournal.open(path, options)).close()
      }),
    ),
    onDisk('merchants.jsonl', registry, path =>
      expecting([StartError], async () => {
        await (await Registry.open(new ChangeFile({ path, sync: false, warn() {} }))).close()
      }),
    ),
    pastOf(withPast),
    {
      name: 'profiles',
      async try(chance) {
        const right = JSON.stringify(PROFILES)
        const input = chance.is(0.5)
          ? damagedText(chance, right)
          : JSON.stringify(damagedValue(chance, PROFILES))
        return {
          input,
          read: () =>
            expecting([UsageError], async () => {
              await writeFile(join(folder, 'paysim', 'profiles.json'), input, { mode: 0o600 })
              await readProfiles()
            }),
        }
      },
    },
  ]
}

/** One file of the account's folder is damaged: layers, indexes, checkpoint.json, segments or the open file. */
function pastOf(folder: string): FileKind {
  const files = filesIn(folder)
  return {
    name: 'checkpoint',
    isSlow: true,
    async try(chance) {
      const [path, right] = chance.of([...files])
      const bytes = damagedBytes(chance, right)
      return {
        input: `${basename(path)}: ${bytes.toString('base64')}`,
        read: () =>
          expecting([StartError, DamagedError], async () => {
            putBack(folder, files)
            await writeFile(path, bytes)
            const { account } = await accountOnDisk(folder)
            try {
              dump(account.world)
            } finally {
              await account.close()
            }
          }),
      }
    },
  }
}

const rulesOf = (scenarios: readonly string[]) =>
  scenarios.flatMap(text => (parse(text) as { provider?: unknown[] }).provider ?? [])

/** Entries that pass the checks may contradict each other, but they must not cause a programming error in `apply`. */
function replayChecked(entries: readonly unknown[]): void {
  const checker = new EntryChecker()
  if (entries.some(entry => checker.check(entry).length > 0)) return
  const world = new MutableWorld()
  try {
    for (const entry of entries) apply(world, entry as Entry)
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error
  }
}
