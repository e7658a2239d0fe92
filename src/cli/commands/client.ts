import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Argument, type Command } from 'commander'
import { DASHBOARD_OPERATIONS } from '../../contract/control/operations/server.ts'
import { controlOperations } from '../../contract/control/operations.ts'
import { operations } from '../../contract/operations.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import { resources } from '../../contract/resources.ts'
import { openRegular } from '../../files/regular-file.ts'
import { readPackageFile } from '../../package-files.ts'
import { type Operations, readCalls } from '../clients/calls.ts'
import { declaredIn, GO, generate, type Language, PHP, PYTHON } from '../clients/generate.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { choice } from '../flag-values.ts'
import { cannotRead, cannotWrite } from '../named-file.ts'

interface Kind {
  readonly language: Language
  readonly template: string
  /** What the file is called in a project. */
  readonly file: string
  readonly fixture: string
  readonly example: string
}

export const KINDS = {
  python: {
    language: PYTHON,
    template: 'paysim.py',
    file: 'paysim.py',
    fixture: 'the pytest fixture paysim_account',
    example: 'example.py',
  },
  php: {
    language: PHP,
    template: 'paysim.php',
    file: 'Paysim.php',
    fixture: 'the trait PaysimAccount for test cases of PHPUnit',
    example: 'example.php',
  },
  go: {
    language: GO,
    template: 'paysim.go',
    file: 'paysim.go',
    fixture: 'the function NewAccount, which takes a testing.TB',
    example: 'example.go',
  },
} as const satisfies { [language: string]: Kind }
type LanguageName = keyof typeof KINDS
const NAMES = Object.keys(KINDS) as LanguageName[]

interface ClientFlags {
  readonly list?: true
  readonly example?: true
  readonly out?: string
}

export const command = (): Command =>
  newCommand('client')
    .description(
      'Print a client for test suites in another language: one source file that needs only the standard library.',
    )
    .addArgument(
      new Argument('[language]', 'language to print the client in').choices(NAMES).argParser(choice(NAMES)),
    )
    .option('--out <file>', 'write it to this file instead; an earlier client is replaced')
    .option('--example', 'print a test that uses the client')
    .option('--list', 'list the languages, with the usual name of the file')
    .addHelpText(
      'after',
      `
The client starts a simulator in memory, or finds the one of \`paysim exec\`. It has accounts, the calls of both APIs, the payer,
the clock, rules, faults, and a receiver of webhooks that checks signatures. It refuses a simulator of another major version.

Examples:
  paysim client --list
  paysim client python --out paysim.py
  paysim client python --example > test_payments.py`,
    )
    .action(print)

async function print(name: LanguageName | undefined, { list, example, out }: ClientFlags): Promise<void> {
  if (list) {
    const rows = Object.entries(KINDS).map(
      ([name, { file, fixture }]) => `${name.padEnd(8)}${file.padEnd(12)}${fixture}\n`,
    )
    process.stdout.write(rows.join(''))
    return
  }
  if (name === undefined) throw new UsageError(`name a language: paysim client ${NAMES.join('|')}`)
  const text = example ? textOf(KINDS[name].example) : clientIn(KINDS[name])
  if (out === undefined) process.stdout.write(text)
  else await replace(out, text)
}

const textOf = (file: string) => readPackageFile(`dist/clients/${file}`).toString()

function clientIn({ language, template }: Kind): string {
  const text = textOf(template)
  return generate(text, language, readCalls(operationLists(), declaredIn(text)), PAYSIM_VERSION)
}

export function operationLists(): Operations {
  const all = Object.entries(controlOperations('any'))
  return {
    merchant: operations(resolveContract({})),
    resources: resources('any'),
    // What the pages of the dashboard need of their server helps no test.
    control: Object.fromEntries(all.filter(([call]) => !Object.hasOwn(DASHBOARD_OPERATIONS, call))),
  }
}

/** Every client says so, and nothing else is replaced. */
const MADE_BY = 'Made by `paysim client '

async function replace(file: string, text: string): Promise<void> {
  const start = await startOf(file).catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    return cannotRead(file)(cause)
  })
  if (start !== undefined && !start.includes(MADE_BY))
    throw new UsageError(`${file} exists, and is no such client: remove it, or name another file`)
  await mkdir(dirname(file), { recursive: true })
    .then(() => writeFile(file, text, { flag: start === undefined ? 'wx' : 'w' }))
    .catch(cannotWrite(file))
  process.stderr.write(`wrote ${file}\n`)
}

/** Of a file, not of a pipe that nobody writes to. */
async function startOf(path: string): Promise<string> {
  const { file } = await openRegular(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1000), 0, 1000, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
