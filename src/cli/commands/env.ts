import { type Command, Option } from 'commander'
import { UsageError } from '../errors/cli-errors.ts'
import { choice } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'
import { shellQuoted } from '../shell-words.ts'
import {
  accountNamed,
  dataDirectory,
  keysOf,
  type LocalSimulator,
  simulatorsHere,
} from '../target/local-simulator.ts'
import { secretOf } from '../webhooks/kept-secret.ts'

const FORMATS = ['shell', 'fish', 'powershell', 'dotenv', 'json', 'github'] as const
type Format = (typeof FORMATS)[number]

interface EnvFlags {
  readonly format: Format
  readonly account?: string
  readonly data?: string
}

export const command = (): Command =>
  newCommand('env')
    .description(
      'Prints where the simulator is that runs here, and its keys, as variables of the environment.',
    )
    .addOption(
      new Option('--format <format>', 'how they are written')
        .choices(FORMATS)
        .argParser(choice(FORMATS))
        .default('shell'),
    )
    .addOption(
      new Option(
        '--account <id>',
        'whose keys: shop.live, or shop for shop.test; default.test otherwise',
      ).env('PAYSIM_ACCOUNT'),
    )
    .addOption(new Option('--data <dir>', 'the simulator that serves this directory').env('PAYSIM_DATA'))
    .addHelpText(
      'after',
      `
The simulator is the one that serves ./.paysim, or that was started in this folder: also with \`--data\` or
\`--ephemeral\`. What the environment or a profile says already is not looked at. Every program that reads the
environment finds the gateway then, and paysim's own commands too, from any folder.

PAYSIM_WEBHOOK_SECRET is among them once \`paysim webhooks listen\` was started for it: what its webhooks are signed with.

In a POSIX shell:  eval "$(paysim env)"
In fish:           paysim env --format fish | source
In PowerShell:     paysim env --format powershell | Out-String | Invoke-Expression

With \`--format github\`, the lines are for the file that GitHub Actions names in GITHUB_ENV; on stderr, GitHub is told
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
  const simulator = await theOneHere()
  const keys = await keysOf(simulator, account)
  const webhookSecret = await secretOf(simulator)
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

async function theOneHere(): Promise<LocalSimulator> {
  const [simulator, ...others] = await simulatorsHere()
  if (!simulator)
    throw new UsageError(
      `no simulator serves ${dataDirectory()}, and none was started in this folder. Start one with \`paysim serve\`, or name its directory with --data`,
    )
  if (others.length > 0)
    process.stderr.write(
      `paysim: these are of ${simulator.url}; ${others.map(({ url }) => url).join(' and ')} was started here too, and --data names one by its directory\n`,
    )
  return simulator
}

/** One could begin a variable that nobody meant. No key, token or address that works has any. */
function refuseLineBreaks(name: string, value: string): void {
  if (/\p{Cc}/u.test(value))
    throw new UsageError(
      `${name} holds a control character or a line break, which no environment file may hold`,
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
      // PowerShell takes curly quotes for straight ones.
      return `$env:${name} = '${value.replaceAll(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
    case 'dotenv':
      return `${name}=${dotenvQuoted(value)}`
    case 'github':
      return `${name}=${value}`
  }
}

/** Bare where every reader agrees on it; else in the quotes that the value does not have. */
function dotenvQuoted(value: string): string {
  if (/^[\w@%+:,./-]+$/.test(value)) return value
  const quote = ["'", '"', '`'].find(sign => !value.includes(sign))
  if (quote === undefined) throw new UsageError(`a value holds every quote there is: take another --format`)
  return `${quote}${value}${quote}`
}
