// node test/fuzz/run.js runs test/fuzz/fuzz.test.ts for longer.
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

const USAGE = `npm run fuzz -- [options]

  --inputs N   so many damaged requests, bytes and files (default 1000000)
  --seed N     from which all of them follow (default 1)
  --first N    the number of the first one (default 0): a failure prints its own`

const { values: flags } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) {
  console.log(USAGE)
  process.exit(0)
}
const env = {
  ...process.env,
  PAYSIM_FUZZ_INPUTS: flags.inputs,
  PAYSIM_FUZZ_SEED: flags.seed,
  PAYSIM_FUZZ_FIRST: flags.first,
}
const child = spawn('npx', ['vitest', 'run', '--project', 'torture', 'test/fuzz'], { stdio: 'inherit', env })
child.once('exit', code => process.exit(code ?? 1))
