import { type Command, Option } from 'commander'
import { shellQuoted } from '../../contract/shell-words.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { choice } from '../flag-values.ts'
import { optionFor } from '../values.ts'
import { keptSecret } from '../webhooks/secret.ts'
import {
  accountNamed,
  dataDirectory,
  keysOf,
  type LocalSimulator,
  simulatorsHere,
} from '../where/simulators.ts'

const FORMATS = ['shell', 'fish', 'powershell', 'dotenv', 'json', 'github'] as const
type Format = (typeof FORMATS)[number]

interface EnvFlags {
  readonly format: Format
  readonly account?: string
  readonly data?: string
}

export const command = (): Command =>
  newCommand('env')
    .description('Print the address and the keys of the local simulator as environment variables.')
    .addOption(
      new Option('--format <format>', 'output format')
        .choices(FORMATS)
        .argParser(choice(FORMATS))
        .default('shell'),
    )
    .addOption(
      optionFor(
        '--account <id>',
        'account whose keys to print: shop.live, or shop for shop.test (default: default.test)',
        { known: 'accounts' },
      ).env('PAYSIM_ACCOUNT'),
    )
    .addOption(new Option('--data <dir>', 'use the simulator that serves this directory').env('PAYSIM_DATA'))
    .addHelpText(
      'after',
      `
The local simulator is the one that serves ./.paysim, or one that was started in this folder, with any \`--data\` or
with \`--ephemeral\`. The command ignores the current environment and profile. With these variables, paysim and your
own programs find the simulator from any folder.

PAYSIM_WEBHOOK_SECRET is the secret that signs the webhooks of \`paysim webhooks listen\`. It is printed after the first
start of that command.

  In a POSIX shell:  eval "$(paysim env)"
  In fish:           paysim env --format fish | source
  In PowerShell:     paysim env --format powershell | Out-String | Invoke-Expression

With \`--format github\`, redirect stdout to the file that GitHub Actions names in GITHUB_ENV. Lines on stderr tell GitHub
to mask the secrets in the job's log.

Examples:
  eval "$(paysim env)" && curl -u "$PAYSIM_PUBLIC_KEY:$PAYSIM_SECRET_KEY" "$PAYSIM_BASE_URL/payout_intents"
  paysim env --account shop.live --format dotenv > .env
  paysim env --format github >> "$GITHUB_ENV"`,
    )
    .action(print)

type Variables = readonly (readonly [name: string, value: string])[]

async function print({ format, account, data }: EnvFlags): Promise<void> {
  if (data !== undefined) process.env.PAYSIM_DATA = data
  const simulator = await findSimulator()
  const keys = await keysOf(simulator, account)
  const webhookSecret = await keptSecret(simulator)
  const variables: Variables = [
    ['PAYSIM_BASE_URL', simulator.url],
    ['PAYSIM_PUBLIC_KEY', keys.publicKey],
    ['PAYSIM_SECRET_KEY', keys.secretKey],
    ['PAYSIM_CONTROL_URL', simulator.control_url],
    ['PAYSIM_CONTROL_TOKEN', simulator.control_token],
    ['PAYSIM_ACCOUNT', accountNamed(account)],
    ...(webhookSecret === undefined ? [] : [['PAYSIM_WEBHOOK_SECRET', webhookSecret] as const]),
  ]
  for (const [name, value] of variables) refuseLineBreaks(name, value)
  // GitHub reads commands from both streams, and stdout goes into a file.
  if (format === 'github')
    for (const value of [keys.secretKey, simulator.control_token, webhookSecret ?? []].flat())
      process.stderr.write(`::add-mask::${value.replaceAll('%', '%25')}\n`)
  process.stdout.write(written(variables, format))
}

async function findSimulator(): Promise<LocalSimulator> {
  const [simulator, ...others] = await simulatorsHere()
  if (!simulator)
    throw new UsageError(
      `no simulator serves ${dataDirectory()}, and none was started in this folder: start one with \`paysim serve\`, or give its directory with --data`,
    )
  if (others.length > 0)
    process.stderr.write(
      `paysim: using ${simulator.url}, not ${others.map(({ url }) => url).join(' or ')}; choose one by its directory with --data\n`,
    )
  return simulator
}

/** A line break could start another variable. No working key, token or address contains one. */
function refuseLineBreaks(name: string, value: string): void {
  if (/\p{Cc}/u.test(value))
    throw new UsageError(
      `${name} contains a control character or a line break, which an environment file cannot contain`,
    )
}

function written(variables: Variables, format: Format): string {
  if (format === 'json') return `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`
  return variables.map(([name, value]) => `${lineOf(name, value, format)}\n`).join('')
}

function lineOf(name: string, value: string, format: Exclude<Format, 'json'>): string {
  switch (format) {
    case 'shell':
      return `export ${name}=${shellQuoted(value)}`
    case 'fish':
      return `set -gx ${name} '${value.replaceAll(/[\\']/g, '\\$&')}'`
    case 'powershell':
      // PowerShell treats curly quotes like straight ones.
      return `$env:${name} = '${value.replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
    case 'dotenv':
      return `${name}=${dotenvQuoted(value)}`
    case 'github':
      return `${name}=${value}`
  }
}

/** Unquoted if every reader agrees on that, else in quotes that the value does not contain. */
function dotenvQuoted(value: string): string {
  if (/^[\w@%+:,./-]+$/.test(value)) return value
  const quote = ["'", '"', '`'].find(sign => !value.includes(sign))
  if (quote === undefined)
    throw new UsageError('a value contains every kind of quote: choose another --format')
  return `${quote}${value}${quote}`
}
