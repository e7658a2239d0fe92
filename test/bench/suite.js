import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { timeToExit } from './child.js'
import { compare, inTurn, median } from './rounds.js'

const CHILD = fileURLToPath(new URL('suite-child.js', import.meta.url))

/** What a user's own test suite waits for, beside a bare exchange over node:http in the same process. */
export async function measureSuite({ binary, tests, suiteRounds }) {
  const library = join(dirname(binary), '../dist/index.js')
  const rounds = []
  for (let round = 0; round < suiteRounds; round++) rounds.push(await runSuite(library, tests))
  const scenarios = join(dirname(binary), '../scenarios')
  const runs = await inTurn(
    {
      run: () => timeToExit([binary, 'run', scenarios, '--jobs', '2']),
      node: () => timeToExit(['-e', '0']),
    },
    suiteRounds,
  )
  const of = name => rounds.map(round => round[name])
  return [
    compare('a test, to a bare exchange', { ours: of('test'), other: of('bare'), unit: 'ms' }),
    compare('the first test, to a bare exchange', { ours: of('first'), other: of('bare'), unit: 'ms' }),
    { name: 'memory that stays of a test', unit: 'KB', ours: median(of('kilobytes')) },
    { name: '  after account.remove()', unit: 'KB', ours: median(of('removed')) },
    compare('run of the shipped scenarios, to `node -e 0`', { ours: runs.run, other: runs.node, unit: 'ms' }),
  ]
}

/** The figures of one process, so that each has a first test. */
async function runSuite(library, tests) {
  const child = spawn(process.execPath, ['--expose-gc', CHILD, library, String(tests)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', chunk => {
    text += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the suite ended with ${code}`)
  return JSON.parse(text)
}
