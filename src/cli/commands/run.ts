import { type Command, Option } from 'commander'
import { collect, seed } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'
import { atLeastOne, type RunFlags, report } from '../scenario/run-flags.ts'

export function command(): Command {
  return newCommand('run')
    .description(
      'Runs scenario files: each in an account of its own, against a simulator that starts for it.',
    )
    .argument('<path...>', 'scenario files, or folders of them')
    .option('-j, --jobs <n>', 'how many at a time; as many as there are cores unless told', atLeastOne)
    .option(
      '--only <name>',
      'only what has this in its name or its file name; `*` and `?` stand for letters (repeatable)',
      collect,
      [],
    )
    .option('--repeat <n>', 'tell each scenario so often, each time with the next seed', atLeastOne)
    .option('--seed <n>', 'the seed of the first time, in place of the one in the file', text =>
      Number(seed(text)),
    )
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
It ends with 0, with 10 when an expectation failed, else with 2 when a file cannot be run as it is. Such a file fails
alone: the others run. The third of \`--repeat 5 --seed 7\` is told again by \`--seed 9\`.
On GitHub Actions (GITHUB_ACTIONS=true), failures are marked in the files, by \`::error\` lines.

Examples:
  paysim run scenarios
  paysim run checkout.yaml --watch
  paysim run scenarios --only 'cancel-*' --repeat 20 --seed 7
  paysim run scenarios --jobs 4 --report junit=report.xml --report tap=-`,
    )
    .action(async (paths: string[], flags: RunFlags) => {
      const { run } = await import('../scenario/run.ts')
      await run(paths, flags)
    })
}
