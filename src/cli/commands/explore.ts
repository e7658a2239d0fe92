import { type Command, Option } from 'commander'
import { seed } from '../flag-values.ts'
import { newCommand } from '../new-command.ts'
import { type ExploreFlags, exploreReport, kindList, wait } from '../scenario/explore-flags.ts'
import { atLeastOne } from '../scenario/run-flags.ts'

export function command(): Command {
  return newCommand('explore')
    .description(
      'Plays a scenario with your application again and again, each time with something gone wrong, and reports what it does not survive.',
    )
    .usage('[options] FILE... [-- COMMAND [arguments]]')
    .argument(
      '[path...]',
      'scenario files with an application, or folders of them; behind `--`, the command that starts it',
    )
    .option('--kinds', 'list the kinds of disturbance')
    .option('--only <kinds>', 'only these kinds, separated by commas', kindList)
    .option('--skip <kinds>', 'all kinds but these, separated by commas', kindList)
    .option('--runs <n>', 'try so many disturbances', text => atLeastOne(text))
    .option(
      '--for <duration>',
      'stop after so much time; without this and --runs: every single disturbance once, then pairs until 60 s are over',
      wait,
    )
    .option('--seed <n>', 'choose other pairs; the same seed chooses the same', text => Number(seed(text)))
    .option(
      '-j, --jobs <n>',
      'how many at a time; as many as there are cores unless it says otherwise',
      atLeastOne,
    )
    .option(
      '--slow <duration>',
      'how late the answer of a call-slow comes; 2s unless it says otherwise',
      wait,
    )
    .option('--save <dir>', 'where each failure is written as a scenario', './paysim-found')
    .option('--report <format=file>', 'junit or json, to a file or - (repeatable)', exploreReport, [])
    .addOption(new Option('-o, --output <form>', 'what is written to stdout').choices(['text', 'json']))
    .addOption(
      new Option('--control-url <url>', 'against a simulator that runs already').env('PAYSIM_CONTROL_URL'),
    )
    .addOption(
      new Option('--control-token <token>', 'the token of its control surface').env('PAYSIM_CONTROL_TOKEN'),
    )
    .addHelpText(
      'after',
      `
The file names your application under \`app\`, calls it and says what its state must be. It is played twice as it is and
must pass. Then each webhook, call and gap between steps is disturbed once, and then two of them at a time. What fails
is reduced to the least that matters, tried again three times and saved as a scenario that \`paysim run\` repeats.

It ends with 0 when every single disturbance was tried and survived, 10 when something was found, 2 when a file is wrong
or its plain run fails, and 8 when time ran out before every single disturbance was tried, or there was none to try.

Examples:
  paysim explore orders.yaml
  paysim explore orders.yaml --for 30s -- node shop.js
  paysim explore orders.yaml --only webhook-twice,webhook-order --report junit=explore.xml`,
    )
    .action(async (paths: string[], flags: ExploreFlags) => {
      const { exploreFiles } = await import('../scenario/explore.ts')
      await exploreFiles(paths, flags)
    })
}
