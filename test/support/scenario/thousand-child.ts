import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from '../../../src/index.ts'
import { loadScenario, openSimulatorTarget, runScenario, type Scenario } from '../../../src/scenario/index.ts'

/**
 * Many mixed runs in one process, one at a time and then 8 at a time, in one simulator: prints the result of each
 * and how much memory was used. Run with --expose-gc.
 */

const [folder = '', count = '60'] = process.argv.slice(2)
const AT_A_TIME = 8
const simulator = await startSimulator({ seed: 7 })
const { target, close } = await openSimulatorTarget(simulator)

const files = readdirSync(folder)
  .filter(name => name.endsWith('.yaml'))
  .sort()
const scenarios = await Promise.all(files.map(name => loadScenario(join(folder, name))))

/** The transcript of a run has everything that it saw, so it would also show another account. */
async function runOne(nth: number): Promise<{ ok: boolean; digest: string; file: string }> {
  const scenario = scenarios[nth % scenarios.length] as Scenario
  const {
    ok,
    transcript = '',
    file,
  } = await runScenario(scenario, { target, run: `nth-${nth}`, transcript: true })
  return { ok, digest: createHash('sha256').update(transcript).digest('hex'), file }
}

async function runMany(total: number, atATime: number) {
  const results: Awaited<ReturnType<typeof runOne>>[] = []
  let next = 0
  const work = async () => {
    for (let nth = next++; nth < total; nth = next++) results[nth] = await runOne(nth)
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return results
}

/** The memory in use after garbage collection: twice, because finalizers free more. */
async function heapUsed(): Promise<number> {
  for (let sweep = 0; sweep < 5; sweep++) {
    await new Promise(resolve => setImmediate(resolve))
    globalThis.gc?.()
  }
  return process.memoryUsage().heapUsed
}

// After one run in each way, all modules are loaded.
await runMany(scenarios.length, 1)
await runMany(scenarios.length, AT_A_TIME)
const heapBefore = await heapUsed()
const alone = await runMany(Number(count), 1)
const together = await runMany(Number(count), AT_A_TIME)
const heapAfter = await heapUsed()
const merchants = (await simulator.control.merchants.list()).map(({ id }) => id)
process.stdout.write(
  JSON.stringify({ alone, together, heapBefore, heapAfter, merchants, left: target.merchants.size }),
)
await close()
await simulator.stop()
