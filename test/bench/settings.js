import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const USAGE = `npm run bench -- [options]

A full run (without --quick and --only) writes docs/benchmarks.md. It installs the servers that it compares with.

  --quick        everything small, and beside the parent commit: exit 1 if more than 25% was lost, again and again
  --against REF  with --quick, this commit instead of the parent
  --large        also at 1,000,000 records; takes 4 GB of disk
  --only NAME    only this measurement (repeatable): suite, dashboard, get, create, list, receipts, start, restart,
                 memory, fair, deliveries, merchants, peers, parent; and if it is named, cluster (needs PostgreSQL)
                 or soak (ten minutes of steady load)
  --binary FILE  another built paysim.js, to compare two trees
  --json FILE    the figures as JSON too
  --check        exit 1 if a figure misses its target by more than 20%`

const FULL = {
  rounds: 5,
  seconds: 3,
  warmUpSeconds: 2,
  sizes: [1_000, 100_000],
  starts: 21,
  tests: 300,
  suiteRounds: 5,
  journal: 100_000,
  viewed: 100_000,
  timers: 100_000,
  imported: 180_000,
  receipts: 500,
  deliveries: 20_000,
  merchants: 10_000,
  takeovers: { few: 10_000, many: 1_000_000 },
  listed: { few: 10_000, many: 1_000_000 },
  soakMinutes: 10,
}
const QUICK = {
  rounds: 3,
  seconds: 1,
  warmUpSeconds: 1,
  sizes: [1_000],
  starts: 11,
  tests: 60,
  suiteRounds: 2,
  journal: 10_000,
  viewed: 2_000,
  timers: 5_000,
  imported: 5_000,
  receipts: 100,
  deliveries: 2_000,
  merchants: 200,
  takeovers: { few: 1_000, many: 10_000 },
  listed: { few: 10_000, many: 30_000 },
  soakMinutes: 3,
}

/** The settings of this run, from its command line. */
export function readSettings() {
  const { values: flags } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      against: { type: 'string' },
      large: { type: 'boolean' },
      only: { type: 'string', multiple: true },
      binary: { type: 'string' },
      json: { type: 'string' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (flags.help) {
    console.log(USAGE)
    process.exit(0)
  }
  const { sizes, ...pace } = flags.quick ? QUICK : FULL
  return {
    ...pace,
    sizes: flags.large ? [...sizes, 1_000_000] : sizes,
    quick: flags.quick ?? false,
    against: flags.against,
    only: flags.only,
    binary: flags.binary ?? fileURLToPath(new URL('../../bin/paysim.js', import.meta.url)),
    jsonFile: flags.json,
    check: flags.check,
  }
}
