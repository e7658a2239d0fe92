import { type Command, Option } from 'commander'
import { type Contract, DECISIONS, type Decision, type DecisionKey } from '../../contract/decisions.ts'
import { allowedValues, answerOf } from '../../contract/resolve-contract.ts'
import { newCommand } from '../command-table.ts'
import { readContract } from '../named-file.ts'

interface ContractFlags {
  contract?: string
  output: 'human' | 'json' | 'markdown'
}

export function command(): Command {
  return newCommand('contract')
    .description(
      'Print every decision: each question that the interface document leaves open, and its current answer.',
    )
    .option('--contract <file>', 'contract file with other decisions')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['human', 'json', 'markdown'])
        .default('human'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  paysim contract\n  paysim contract -o json --contract flat-errors.json',
    )
    .action(print)
}

async function print({ contract, output }: ContractFlags): Promise<void> {
  const all = rows(await readContract(contract))
  process.stdout.write({ json: asJson, markdown: asMarkdown, human: asText }[output](all))
}

interface Row {
  readonly key: string
  readonly question: string
  readonly answer: string
  readonly allowed: string | null
  readonly why: string
  /** Why `paysim probe` cannot find out how a server answers; null if it can, or if no contract changes it. */
  readonly unobservable: string | null
  /** Why only a person can show it to `paysim probe --ask`; null if nobody is needed. */
  readonly person: string | null
}

function rows(contract: Contract): Row[] {
  return (Object.keys(DECISIONS) as DecisionKey[]).map(key => {
    const { question, why, unobservable, person }: Decision = DECISIONS[key]
    return {
      key,
      question,
      answer: answerOf(key, contract),
      allowed: allowedValues(DECISIONS[key]) ?? null,
      why,
      unobservable: unobservable ?? null,
      person: person ?? null,
    }
  })
}

const asJson = (all: readonly Row[]) =>
  `${JSON.stringify(
    all.map(row => ({ ...row, kind: row.allowed === null ? 'constant' : 'switch' })),
    null,
    2,
  )}\n`

const asText = (all: readonly Row[]) =>
  all
    .map(({ key, question, answer, allowed }) => {
      const others = allowed === null ? '' : `\n  switch: ${allowed}`
      return `${key}\n  ${question}\n  = ${answer}${others}\n`
    })
    .join('\n')

function asMarkdown(all: readonly Row[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const lines = all.map(
    ({ key, question, answer, allowed, why, ...row }) =>
      `| \`${key}\` | ${cell(question)} | ${cell(answer)} | ${allowed === null ? 'constant' : cell(allowed)} | ${cell(why + probed(row))} |`,
  )
  return `| key | question | answer | allowed | why |\n|---|---|---|---|---|\n${lines.join('\n')}\n`
}

/** What a probe cannot see, or not alone. */
function probed({ unobservable, person }: Pick<Row, 'unobservable' | 'person'>): string {
  if (unobservable !== null) return ` \`paysim probe\` cannot see it: ${unobservable}`
  return person === null ? '' : ` \`paysim probe\` sees it only with \`--ask\`: ${person}`
}

/** `paysim openapi`. */
export function openapi(): Command {
  return newCommand('openapi')
    .description('Print the merchant API as an OpenAPI 3.1 document.')
    .option('--contract <file>', 'contract file with other decisions')
    .option('--server <url>', 'server address to put into the document', 'http://127.0.0.1:7297')
    .addHelpText('after', '\nExamples:\n  paysim openapi > merchant-api.json')
    .action(printDocument)
}

async function printDocument({ contract, server }: { contract?: string; server: string }): Promise<void> {
  const { openApiDocument } = await import('../../contract/openapi/document.ts')
  process.stdout.write(`${JSON.stringify(openApiDocument(await readContract(contract), server), null, 2)}\n`)
}
