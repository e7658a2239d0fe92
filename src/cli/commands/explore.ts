import { type Command, Option } from 'commander'
import { SUITE_KINDS } from '../../application/disturbance.ts'
import { newCommand } from '../command-table.ts'
import { milliseconds, seed } from '../flag-values.ts'
import {
  atLeastOne,
  type ExploreFlags,
  exploreReport,
  gatewayFlags,
  kindList,
} from '../scenario/run-flags.ts'
import { argumentFor, optionFor } from '../values.ts'

export function command(): Command {
  const it = newCommand('explore')
    .description(
      'Run a scenario with your application again and again, each time with a disturbance, and report what the application does not survive.',
    )
    .usage('[options] [path...] [-- COMMAND [arguments]]')
    .addArgument(
      argumentFor(
        '[path...]',
        'scenario files with an application, or folders that contain them; after `--`, the command that starts the application',
        { files: true },
      ),
    )
    .option('--suite', 'explore the test command after `--`, instead of a scenario')
    .option('--tolerate', 'with --suite: if two plain runs differ, explore what is the same')
    .option('--repeat <file>', 'with --suite: run the command once, with the disturbance of a saved finding')
    .option('--kinds', 'list the kinds of disturbance, and exit')
    .addOption(
      optionFor('--only <kinds>', 'try only these kinds, separated by commas', { list: true }).argParser(
        kindList,
      ),
    )
    .addOption(
      optionFor('--skip <kinds>', 'try all kinds except these, separated by commas', {
        list: true,
      }).argParser(kindList),
    )
    .option('--runs <n>', 'stop after this many runs', text => atLeastOne(text))
    .option(
      '--for <duration>',
      'stop after this time (default, without --runs: try every place once, then pairs until 60 s have passed)',
      milliseconds,
    )
    .option('--seed <n>', 'order of the pairs; the same seed repeats the same runs', text =>
      Number(seed(text)),
    )
    .option(
      '-j, --jobs <n>',
      'how many runs to play at the same time; while a run waits, another may start, unless this is 1 (default: the number of cores)',
      atLeastOne,
    )
    .option('--slow <duration>', 'delay of the answer in call-slow (default: 2s)', milliseconds)
    .option('--save <dir>', 'folder in which to save each failure as a scenario', './paysim-found')
    .option(
      '--report <format=file>',
      'write a junit, json or html report to a file; - means stdout (repeatable)',
      exploreReport,
      [],
    )
    .option('--open', 'open the html report in a browser')
    .addOption(new Option('-o, --output <form>', 'output format').choices(['text', 'json']))
  return gatewayFlags(it)
    .addHelpText(
      'after',
      `
The file names your application under \`app\`, calls it, and checks its state with \`expect app\`. paysim runs it twice as it is, and it must pass. Then paysim disturbs each webhook, call and gap between steps once, and then pairs of them. It reduces each failure to the smallest disturbance, repeats it three times, and saves it as a scenario that \`paysim run\` can repeat. If the same failure comes with several kinds, or never again, paysim plays the undisturbed run again and again at the same load: what fails undisturbed too is one finding, and no kind is named as its cause.

If the file says where the application runs already (app.url), paysim prints the address and the keys with which it must call the gateway.

With --suite, paysim runs your test command as \`paysim exec\` does: twice as it is, and it must pass and do the same. Then it runs again for each call and webhook that a disturbance fits, with that one disturbed. A command that then fails is a finding. By default, paysim tries only what a right program does not notice: ${SUITE_KINDS.join(', ')}. It never tries webhook-order and webhook-late, because the tests of a right program may fail over them, and what needs the steps of a scenario.

The exit code is 0 if every place was disturbed and survived, 10 if there are findings, 2 if a file is wrong or the plain run fails, and 8 if time ran out before every place was tried, or if nothing was disturbed. After Ctrl-C, SIGTERM or SIGHUP it is 130: what was found until then is reported and saved, and what was not reached is named.

Examples:
  paysim explore orders.yaml
  paysim explore orders.yaml --for 30s -- node shop.js
  paysim explore orders.yaml --gateway-port 4010
  paysim explore orders.yaml --only webhook-twice,webhook-order --report junit=explore.xml
  paysim explore orders.yaml --report html=explore.html --open
  paysim explore --suite -- npm test
  paysim explore --suite --repeat paysim-found/suite-webhook-twice.yaml -- npm test`,
    )
    .action(async (paths: string[], flags: ExploreFlags) => {
      const { exploreFiles } = await import('../scenario/explore.ts')
      await exploreFiles(paths, flags)
    })
}
