import { type Command, Option } from 'commander'
import { newCommand } from '../new-command.ts'
import { jobs, type RunFlags, report } from '../scenario/run-flags.ts'

export function command(): Command {
  return newCommand('run')
    .description(
      'Runs scenario files: each in an account of its own, against a simulator that starts for it.',
    )
    .argument('<path...>', 'scenario files, or folders of them')
    .option('-j, --jobs <n>', 'how many at a time; as many as there are cores unless told', jobs)
    .addOption(
      new Option('--control-url <url>', 'against a simulator that runs already').env('PAYSIM_CONTROL_URL'),
    )
    .addOption(
      new Option('--control-token <token>', 'the token of its control surface').env('PAYSIM_CONTROL_TOKEN'),
    )
    .option(
      '--base-url <url>',
      'against a gateway as it is, with the keys in PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY; with --control-url, where that simulator has its merchant API',
    )
    .option('--embedded', 'start a simulator, whatever the environment names')
    .option('--report <format=file>', 'junit, tap or json, to a file or - (repeatable)', report, [])
    .option('--transcript <path>', 'write what happened: a file for one scenario, a folder for more')
    .option('--watch', 'run again when a file changes')
    .option('--quiet', 'show failures only')
    .addHelpText(
      'after',
      `
It ends with 0, with 10 when an expectation failed, with 2 when a file cannot be run as it is.

Examples:
  paysim run scenarios
  paysim run checkout.yaml --watch
  paysim run scenarios --jobs 4 --report junit=report.xml --report tap=-`,
    )
    .action(async (paths: string[], flags: RunFlags) => {
      const { run } = await import('../scenario/run.ts')
      await run(paths, flags)
    })
}
