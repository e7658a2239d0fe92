import { availableParallelism } from 'node:os'
import { ControlUnreachable } from '../../client/control-fault.ts'
import {
  ConnectFault,
  runAll,
  type Scenario,
  ScenarioFault,
  type ScenarioResult,
  whatNeedsASimulator,
} from '../../scenario/index.ts'
import { EXIT, exitCodeOf } from '../faults/exit-code.ts'
import { reportFault } from '../faults/report-fault.ts'
import { FilesFault } from '../faults/usage-fault.ts'
import { loadAll } from './load-all.ts'
import { isReal, type OpenTarget, openTarget } from './open-target.ts'
import type { RunFlags } from './run-flags.ts'
import { showRun } from './show-run.ts'
import { watchFiles } from './watch.ts'
import { transcriptPaths, writeReports, writeTranscripts } from './write-results.ts'

export async function run(paths: readonly string[], flags: RunFlags): Promise<void> {
  if (!flags.watch) {
    process.exitCode = await runOnce(paths, flags)
    return
  }
  await watchFiles(paths, async () => void (await runOnce(paths, flags)))
}

/** One run of everything; the code that the process ends with. */
async function runOnce(paths: readonly string[], flags: RunFlags): Promise<number> {
  let opened: OpenTarget | undefined
  try {
    const scenarios = await loadAll(paths)
    if (isReal(flags) && !flags.embedded) refuseWhatCannotBe(scenarios)
    await transcriptPaths(scenarios, flags)
    opened = await openTarget(flags)
    interruptible(opened)
    return await runIn(opened, scenarios, flags)
  } catch (fault) {
    const told = fault instanceof ConnectFault ? new ControlUnreachable(fault.message) : fault
    reportFault(told)
    return exitCodeOf(told)
  } finally {
    await opened?.close()
  }
}

async function runIn({ target }: OpenTarget, scenarios: Scenario[], flags: RunFlags): Promise<number> {
  const view = await showRun(scenarios.length, flags)
  const results: ScenarioResult[] = await runAll(scenarios, {
    target,
    jobs: flags.jobs ?? availableParallelism(),
    transcript: flags.transcript !== undefined,
    began: ({ data }, title) => view.began(data.name, title),
    ended: result => view.ended(result),
  }).finally(() => view.stop())
  view.summary(results)
  await writeReports(results, flags)
  await writeTranscripts(scenarios, results, flags)
  return results.every(({ ok }) => ok) ? EXIT.done : EXIT.expectationFailed
}

/** Ctrl-C ends the run at once, and still leaves nothing behind. */
function interruptible(opened: OpenTarget): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.removeAllListeners(signal)
    process.once(signal, () => void opened.close().finally(() => process.exit(code)))
  }
}

function refuseWhatCannotBe(scenarios: readonly Scenario[]): void {
  const faults = scenarios.flatMap(whatNeedsASimulator)
  if (faults.length > 0) throw new FilesFault(new ScenarioFault(faults).message)
}
