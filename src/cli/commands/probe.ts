import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { shellWords } from '../../contract/shell-words.ts'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { asCalled } from '../help-text.ts'
import { cannotWrite } from '../named-file.ts'
import { openPrinter } from '../output/printer.ts'
import { visible } from '../output/text.ts'
import { type GatewayFlags, gatewayFlags, withGateway } from '../probe/gateway-flags.ts'
import type { Errand } from '../probe/inquiry.ts'
import { membersOf } from '../profiles/new-profile.ts'
import { profileNamed } from '../profiles/profiles.ts'
import { canAsk } from '../prompts/confirm.ts'
import { whereIs } from '../where/where.ts'

interface ProbeFlags extends GatewayFlags {
  readonly ask?: true
  readonly save?: string
  readonly input: boolean
}

export const command = (): Command =>
  gatewayFlags(
    newCommand('probe').description(
      'Find out how a server answers what the interface document leaves open, and write the contract file for it.',
    ),
    it =>
      it
        .option('--ask', 'ask you to do what only a person can do, such as choosing a method on a page')
        .option(
          '--save <file>',
          'write what was found as a contract file, and offer to put it into the profile',
        )
        .option('--no-input', 'never prompt'),
  )
    .addHelpText(
      'after',
      `
Only test keys are accepted. The command sends one request at a time, at most 80, and waits when the server asks for it.
Every payment that it makes has a reference that begins with paysim-probe. It cancels them where that is possible, and
lists the others. What a server does not show is unknown, with the reason.

With a contract, commands speak as the server does: they create payments at its path, and know what it requires and how it
ends a cancelled payment. With the contract in a profile, they do so without an option.

The exit code is 0, or 10 if an answer contradicts the interface document.

Examples:
  paysim probe --base-url https://api.example/v1 --key-file keys.txt
  paysim probe --profile sandbox --allow-writes --save contract.json
  paysim serve --contract contract.json
  paysim probe --allow-writes --ask
  paysim probe --allow-writes -o json`,
    )
    .action(run)

async function run(flags: ProbeFlags): Promise<void> {
  const printer = openPrinter(flags)
  if (flags.ask) demandPerson(flags)
  const where = whereIs(flags)
  const { from } = await where.merchant()
  const { probe, probeView } = await import('../probe/probe.ts')
  const report = await withGateway(flags, where, options =>
    probe(flags.ask ? { ...options, onErrand: ask } : options),
  )
  if (report.violations.length > 0) process.exitCode = EXIT.expectationFailed
  await printer.show({ body: report }, probeView)
  if (flags.save === undefined) return
  // What no request shows is known from elsewhere, and stays.
  await save(flags.save, { ...(await where.overrides()), ...report.contract })
  const [, name] = /^profile (.+)$/.exec(from.baseUrl) ?? []
  if (name !== undefined) await offer(flags, flags.save, name)
}

function demandPerson({ input, allowWrites }: ProbeFlags): void {
  if (!allowWrites) throw new UsageError('--ask needs --allow-writes: a person is asked about a payment')
  if (!canAsk({ input })) throw new UsageError('--ask needs a terminal: somebody must answer')
}

async function ask({ what, url }: Errand): Promise<boolean> {
  const { ask: prompt } = await import('../prompts/ask.ts')
  process.stderr.write(`\n${visible(url)}\n`)
  return prompt.confirm({ message: `Open this page and ${what}. Did you?`, default: false })
}

async function save(file: string, contract: Readonly<Record<string, unknown>>): Promise<void> {
  await writeFile(file, `${JSON.stringify(contract, null, 2)}\n`).catch(cannotWrite(file, '--save'))
  process.stderr.write(`wrote ${file}; use it with \`paysim serve --contract ${file}\`\n`)
}

/** Offers to put the contract into the profile that was used. */
async function offer(flags: ProbeFlags, file: string, name: string): Promise<void> {
  if (!canAsk(flags)) {
    const change = asCalled(`\`${shellWords(['paysim', 'profile', 'set', name, '--contract', file])}\``)
    process.stderr.write(`${change} puts it into the profile, so that every command knows it\n`)
    return
  }
  const { ask: prompt } = await import('../prompts/ask.ts')
  if (!(await prompt.confirm({ message: `Put this contract into the profile ${name}?`, default: true })))
    return
  const { changeProfiles } = await import('../profiles/change-profiles.ts')
  const members = await membersOf({ contract: file })
  await changeProfiles(book => ({
    ...book,
    profiles: { ...book.profiles, [name]: { ...profileNamed(name, book), ...members } },
  }))
  process.stderr.write(`the profile ${name} has it now: commands that use it speak as this server does\n`)
}
