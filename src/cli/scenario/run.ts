import { availableParallelism } from 'node:os'
import {
  ConnectFault,
  runAll,
  type Scenario,
  ScenarioFault,
  type ScenarioResult,
  whatNeedsASimulator,
} from '../../scenario/index.ts'
import { usageFault } from '../usage-fault.ts'
import { loadAll, refuseFiles } from './files.ts'
import { isReal, type OpenTarget, openTarget, TargetFault } from './open-target.ts'
import type { RunFlags } from './run-flags.ts'
import { showRun } from './show-run.ts'
import { watchFiles } from './watch.ts'
import { transcriptPaths, writeReports, writeTranscripts } from './write-results.ts'

const FAILED = 10
const UNREACHABLE = 7

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
    return codeOf(fault)
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
  return results.every(({ ok }) => ok) ? 0 : FAILED
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
  if (faults.length > 0) throw new ScenarioFault(faults)
}

function codeOf(fault: unknown): number {
  if (fault instanceof TargetFault) usageFault('run', fault.message)
  else if (fault instanceof ConnectFault) {
    process.stderr.write(`paysim run: ${fault.message}\n`)
    return UNREACHABLE
  } else refuseFiles('run', fault)
  return 2
}
