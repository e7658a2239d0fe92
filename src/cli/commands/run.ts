import type { Command } from 'commander'
import { newCommand } from '../command-table.ts'
import { again, seed } from '../flag-values.ts'
import { atLeastOne, gatewayFlags, type RunFlags, report } from '../scenario/run-flags.ts'
import { argumentFor, optionFor } from '../values.ts'

export function command(): Command {
  const it = newCommand('run')
    .description('Run scenario files, each in its own account of a simulator that is started for the run.')
    .addArgument(
      argumentFor(
        '<path...>',
        'scenario files, or folders that contain them; after `--`, the command that starts the application',
        { files: true },
      ),
    )
    .option('--no-app', 'start no application, and refuse files that would start or restart one')
    .option(
      '-j, --jobs <n>',
      'number of scenarios to run at the same time (default: the number of cores)',
      atLeastOne,
    )
    .option(
      '--only <name>',
      'run only scenarios with this in their name or file name; `*` and `?` are wildcards (repeatable)',
      again,
      [],
    )
    .option('--repeat <n>', 'run each scenario this many times, each time with the next seed', atLeastOne)
    .option('--seed <n>', 'seed of the first run, instead of the one in the file', text => Number(seed(text)))
  return gatewayFlags(it)
    .option(
      '--base-url <url>',
      'use the gateway at this URL, with the keys in PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY; with --control-url, the merchant API of that simulator',
    )
    .option('--embedded', 'start a simulator, even if the environment names one')
    .option(
      '--report <format=file>',
      'write a junit, tap, json or html report to a file; - means stdout (repeatable)',
      report,
      [],
    )
    .option('--open', 'open the html report in a browser')
    .addOption(
      optionFor(
        '--transcript <path>',
        'write what happened to a file, or to a folder for several scenarios',
        {
          files: true,
        },
      ),
    )
    .option('--watch', 'run again when a file changes')
    .option('--quiet', 'show failures only')
    .addHelpText(
      'after',
      `
The exit code is 0 if all scenarios passed, 10 if an expectation failed, and 2 if a file has problems. The other files
still run. To repeat the third run of \`--repeat 5 --seed 7\`, use \`--seed 9\`.
On GitHub Actions (GITHUB_ACTIONS=true), \`::error\` lines mark failures in the files.

Examples:
  paysim run scenarios
  paysim run checkout.yaml --watch
  paysim run scenarios --only 'cancel-*' --repeat 20 --seed 7
  paysim run scenarios --jobs 4 --report junit=report.xml --report tap=-
  paysim run scenarios --report html=report.html --open`,
    )
    .action(async (paths: string[], flags: RunFlags) => {
      const { run } = await import('../scenario/run.ts')
      await run(paths, flags)
    })
}
