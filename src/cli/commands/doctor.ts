import { type Command, Option } from 'commander'
import { COMMON, newCommand } from '../command-table.ts'
import type { DoctorFlags } from '../doctor/examine.ts'
import type { Check } from '../doctor/report.ts'
import { untilInterrupted } from '../errors/cli-errors.ts'
import { CLEAR_LINE } from '../output/door.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import { targetFlags } from '../where/flags.ts'

export const command = (): Command =>
  targetFlags(
    outputFlags(
      newCommand('doctor')
        .description(
          'Check everything that a call depends on, and say how to fix each problem. This command only reads.',
        )
        .addOption(
          new Option(
            '--store <url>',
            'check what `paysim serve --store` depends on, instead of an API (PAYSIM_STORE is checked after the API)',
          ).conflicts([
            'baseUrl',
            'profile',
            'account',
            'keyFile',
            'contract',
            'caFile',
            'requestTimeout',
            'retries',
          ]),
        ),
    ).optionsGroup(COMMON.target),
  )
    .addHelpText(
      'after',
      `
The exit code is 0 if calls will work, else the one that a call would have: 7 if nothing answers, 3 if the keys are
refused. The command also compares the server with the contract, where the interface document leaves a question open.
You can save the differences as a contract file. For a database, it checks the server, the user's rights, the schema, the
latency and the connections.

Examples:
  paysim doctor
  paysim doctor --base-url https://api.example/v1 --key-file keys.txt
  paysim doctor --store postgres://paysim@db.example/paysim
  paysim doctor -o json --query overrides > contract.json`,
    )
    .action(diagnose)

async function diagnose(flags: DoctorFlags & OutputFlags): Promise<void> {
  const printer = openPrinter(flags)
  const { examine } = await import('../doctor/examine.ts')
  const { reportOf, reportView } = await import('../doctor/report.ts')
  const checks: Check[] = []
  await untilInterrupted(async signal => {
    for await (const check of examine(flags, signal)) {
      checks.push(check)
      showProgress(`checked ${check.check}`)
    }
  }).finally(() => showProgress(''))
  const report = reportOf(checks)
  process.exitCode = report.exit_code
  await printer.show({ body: report }, reportView)
}

/** Shows a line until the next one: a server that does not answer takes a long time. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${CLEAR_LINE}${text}`)
}
