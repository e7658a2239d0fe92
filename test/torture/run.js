// node test/torture/run.js runs the tests in test/torture for longer, and writes a table of the results.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeTable } from './table.js'

const USAGE = `npm run torture -- [options]

  --seconds N   how long it takes, about (default 1500, which is 25 minutes)
  --seed N      from which all plans follow (default 1)
  --inputs N    so many inputs of the fuzzer at its end (default 1000000; 0 leaves it out)
  --part NAME   one part only; the names are in what it prints
  --first N     the first plan of that part: a failure prints its own
  --store postgres
                a cluster on PostgreSQL only: its processes and its database fail again and again
  --soak        the soak only, for all of the time
  --results DIR keep what each part counted there, and show it with what is there already: parts of one run may be
                done at different times or places, as long as commit and seed are the same
  --write       write docs/reliability.md if everything passed`

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1500' },
    seed: { type: 'string', default: '1' },
    inputs: { type: 'string', default: '1000000' },
    part: { type: 'string' },
    first: { type: 'string' },
    store: { type: 'string' },
    soak: { type: 'boolean', default: false },
    results: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) {
  console.log(USAGE)
  process.exit(0)
}

/** The test of each part, by its file and its name. */
const PARTS = {
  kills: ['kills'],
  'failing-calls': ['disk', 'failing-calls'],
  'full-disk': ['disk', 'full-disk'],
  'account-files': ['damage', 'an account'],
  'merchants-file': ['damage', 'the list of merchants'],
  'losses-after-stop': ['losses', 'after a stop'],
  'losses-after-kill': ['losses', 'after a kill'],
  receivers: ['receivers'],
  'wall-clock': ['wall-clock'],
  streams: ['streams'],
  soak: ['soak'],
  cluster: ['cluster'],
  balancer: ['cluster-balancer'],
  fuzz: [],
}
if (flags.store !== undefined && flags.store !== 'postgres') {
  console.error('--store can be postgres only; all other parts are about files')
  process.exit(2)
}
const part = flags.soak ? 'soak' : flags.store === 'postgres' ? 'cluster' : flags.part
if (part !== undefined && !(part in PARTS)) {
  console.error(`there is no part ${part}; there are ${Object.keys(PARTS).join(', ')}`)
  process.exit(2)
}

const results = flags.results ?? mkdtempSync(join(tmpdir(), 'paysim-torture-results-'))
if (flags.results === undefined) process.once('exit', () => rmSync(results, { recursive: true, force: true }))
mkdirSync(results, { recursive: true })

/** Runs vitest on some files. */
async function run(args, env) {
  const child = spawn('npx', ['vitest', 'run', '--project', 'torture', ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  return new Promise(resolve => child.once('exit', code => resolve(code ?? 1)))
}

const [file, name] = part === undefined ? [] : PARTS[part]
/** The files of the named part; without a part, all files that need no database. */
const files = readdirSync('test/torture')
  .filter(found => found.endsWith('.test.ts'))
  .filter(found => (file === undefined ? !found.startsWith('cluster') : found.startsWith(file)))
  .map(found => `test/torture/${found}`)
const tortured =
  part === 'fuzz'
    ? 0
    : // The files run one after the other, because together they would be too slow for the load that they need.
      await run(['--no-file-parallelism', ...files, ...(name === undefined ? [] : ['-t', name])], {
        PAYSIM_TORTURE_SECONDS: flags.seconds,
        PAYSIM_TORTURE_SEED: flags.seed,
        PAYSIM_TORTURE_RESULTS: results,
        ...(part === undefined ? {} : { PAYSIM_TORTURE_PART: part }),
        ...(flags.first === undefined ? {} : { PAYSIM_TORTURE_FIRST: flags.first }),
      })
const inputs = part === undefined || part === 'fuzz' ? Number(flags.inputs) : 0
const seed = Number(flags.seed)
const fuzzBegan = Date.now()
const fuzzed =
  inputs === 0
    ? 0
    : await run(['test/fuzz'], { PAYSIM_FUZZ_INPUTS: String(inputs), PAYSIM_FUZZ_SEED: flags.seed })
if (tortured !== 0)
  console.error('failed: the tests in test/torture; each failure above names what repeats it')
if (fuzzed !== 0) console.error('failed: the fuzzer; the failure above names what repeats it')
if (tortured !== 0 || fuzzed !== 0) process.exit(1)
if (inputs > 0) {
  const seconds = Math.round((Date.now() - fuzzBegan) / 1000)
  writeFileSync(join(results, 'fuzz.json'), JSON.stringify({ seed, seconds, counts: { inputs } }))
}

const parts = Object.fromEntries(
  readdirSync(results).map(found => [
    found.replace('.json', ''),
    JSON.parse(readFileSync(join(results, found), 'utf8')),
  ]),
)
/** The output of git; empty if there is no git or no repository. */
const git = (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout?.trim() ?? ''
const text = writeTable({
  parts,
  commit:
    git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', 'src') === '' ? '' : ' with changes'),
  seed,
  seconds: Object.values(parts).reduce((sum, { seconds }) => sum + seconds, 0),
  node: process.version,
  to: flags.write ? 'docs/reliability.md' : undefined,
})
console.log(text)
