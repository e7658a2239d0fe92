import type { Command } from 'commander'
import type { Check } from '../doctor/report.ts'
import { InterruptedError } from '../errors/cli-errors.ts'
import { newCommand } from '../new-command.ts'
import { type OutputFlags, outputFlags } from '../output/flags.ts'
import { openPrinter } from '../output/printer.ts'
import { type TargetFlags, targetFlags } from '../target/flags.ts'

export const command = (): Command =>
  targetFlags(
    outputFlags(
      newCommand('doctor').description(
        'Looks at everything that a call depends on, and says of each thing what to do about it. It only reads.',
      ),
    ).optionsGroup('Target options:'),
  )
    .addHelpText(
      'after',
      `
It ends with 0 if calls will work, else as a call would: with 7 if nothing answers, 3 if the keys are refused.
Where the interface document is silent, what the server answers is compared with the contract in force; what differs
can be kept as a contract file.

Examples:
  paysim doctor
  paysim doctor --base-url https://api.example/v1 --key-file keys.txt
  paysim doctor -o json --query overrides > contract.json`,
    )
    .action(diagnose)

async function diagnose(flags: TargetFlags & OutputFlags): Promise<void> {
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new InterruptedError())
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const printer = openPrinter(flags)
  const { examine } = await import('../doctor/examine.ts')
  const { reportOf, reportView } = await import('../doctor/report.ts')
  const checks: Check[] = []
  try {
    for await (const check of examine(flags, interruption.signal)) {
      checks.push(check)
      note(`looked at: ${check.check}`)
    }
  } finally {
    note('')
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  const report = reportOf(checks)
  await printer.show({ body: report }, reportView)
  process.exitCode = report.exit_code
}

/** A line that gives way to the next: a server that does not answer takes its time. */
function note(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
