// node test/mutation/run.js: changes one thing at a time in the shipped scenarios, and counts how many changes they
// notice.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutantsOf } from './mutants.js'

const USAGE = `node test/mutation/run.js [options]

  --samples N    so many mutants, taken at random; every mutant unless told
  --seed N       which of them, and which of the values that each could have (default 1)
  --only PART    of the scenarios with this in their file's name

Tells the built paysim's scenarios with one thing changed in each: an expectation, a time, a step or a rule that is
deleted. It ends with 1 where a share is below its target.`

/** The required share of noticed changes. */
const TARGETS = { expectation: 1, time: 0.83, step: 0.8, rule: 1 }

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values: flags } = parseArgs({
  options: {
    samples: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})
if (flags.help) {
  console.log(USAGE)
  process.exit(0)
}

const random = randomFrom(Number(flags.seed))
const choose = values => values[Math.floor(random() * values.length)]
const everything = await allMutants()
const chosen = flags.samples ? shuffled(everything).slice(0, Number(flags.samples)) : everything
const results = await tell(chosen)
report(chosen.map((mutant, nth) => ({ ...results[nth], ...mutant })))

async function allMutants() {
  const names = (await readdir(join(root, 'scenarios'))).filter(
    name => name.endsWith('.yaml') && name.includes(flags.only),
  )
  const lists = names.sort().map(async name => {
    const text = await readFile(join(root, 'scenarios', name), 'utf8')
    return mutantsOf(text).map(mutant => ({ ...mutant, name }))
  })
  return (await Promise.all(lists)).flat()
}

/** Runs all mutants in one run, with a file and a result for each. */
async function tell(mutants) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-mutants-'))
  try {
    await cp(join(root, 'scenarios/receipts'), join(folder, 'receipts'), { recursive: true })
    for (const [nth, mutant] of mutants.entries()) {
      const file = join(folder, `${String(nth).padStart(5, '0')}.scenario.json`)
      await writeFile(file, JSON.stringify(mutant.make(choose)))
    }
    const reports = join(folder, 'report.out')
    const args = [
      join(root, 'bin/paysim.js'),
      'run',
      folder,
      '--embedded',
      '--jobs',
      '4',
      '--report',
      `json=${reports}`,
    ]
    const run = spawn(process.execPath, args, { stdio: 'ignore' })
    const [code] = await once(run, 'exit')
    if (![0, 2, 10].includes(code)) throw new Error(`the run of the mutants ended with ${code}`)
    return JSON.parse(await readFile(reports, 'utf8')).results
  } finally {
    await rm(folder, { recursive: true })
  }
}

function report(told) {
  let missed = false
  const survivors = told.filter(({ ok }) => ok)
  for (const { name, line, kind, what } of survivors)
    console.log(`scenarios/${name}:${line}: ${kind} ${what}: still passes`)
  console.log(
    `\n${survivors.length > 0 ? '' : 'Nothing still passes.\n\n'}kind          noticed    of  share  target`,
  )
  for (const [kind, target] of Object.entries(TARGETS)) {
    const of = told.filter(mutant => mutant.kind === kind)
    if (of.length === 0) continue
    const noticed = of.filter(({ ok }) => !ok).length
    const share = noticed / of.length
    missed ||= share < target
    const cells = [noticed, of.length, percent(share), percent(target)].map((cell, nth) =>
      String(cell).padStart([7, 6, 7, 8][nth]),
    )
    console.log(kind.padEnd(14) + cells.join(''))
  }
  const refused = told.filter(({ problems }) => problems).length
  console.log(
    `\n${told.length} of ${everything.length} mutants, seed ${flags.seed}; ${refused} of them the reader refuses`,
  )
  if (missed) process.exitCode = 1
}

function percent(share) {
  return `${Math.floor(share * 100)} %`
}

function shuffled(list) {
  const copy = [...list]
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[copy[at], copy[other]] = [copy[other], copy[at]]
  }
  return copy
}

/** Random numbers from 0 to 1 with a seed: mulberry32. */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
