// Tests `paysim explore` with many applications: it must find every planted bug by its kind, and blame no correct
// application. `npm run explore:proof [-- wrong|right|speed]` takes minutes; the suite has a short form in
// explore.test.ts.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const BINARY = here('../../bin/paysim.js')
const STORY = here('apps/story.yaml')
const PLANTED = JSON.parse(readFileSync(here('apps/planted.json'), 'utf8'))
const RIGHT = [
  ...['by-state', 'by-event-id', 're-reading', 'polling-only', 'queue-and-worker'].map(style => [
    'node',
    here('apps/right.mjs'),
    style,
  ]),
  ['python3', here('apps/right.py')],
]
const SEEDS = Number(process.env.SEEDS ?? 10)

async function explore(flags, command, story = STORY) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-proof-'))
  const args = [BINARY, 'explore', story, '--save', folder, '-o', 'json', ...flags, '--', ...command]
  const { code, stdout, stderr } = await new Promise(resolve =>
    execFile(process.execPath, args, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
  await rm(folder, { recursive: true })
  const report = stdout === '' ? undefined : JSON.parse(stdout).explorations[0]
  return { code, stderr, report }
}

async function wrong() {
  let found = 0
  for (const [bug, kind] of Object.entries(PLANTED)) {
    const { code, report, stderr } = await explore(
      ['--only', kind, '--runs', '30'],
      ['node', here('apps/wrong.mjs'), bug],
    )
    const first = report?.findings.find(({ kinds }) => kinds.includes(kind))
    if (code === 10 && first) found += 1
    const rate = first
      ? `${first.failed}/${first.of}  ${first.message}`
      : stderr || (report?.plain.failure ?? []).join(' ')
    console.log(`${first ? 'found ' : 'MISSED'} ${bug.padEnd(27)} ${kind.padEnd(22)} ${rate}`)
  }
  console.log(`${found} of ${Object.keys(PLANTED).length} planted bugs found, each by its kind`)
  return found >= Object.keys(PLANTED).length - 1
}

async function right() {
  let blamed = 0
  for (const command of RIGHT)
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { code, report, stderr } = await explore(['--seed', String(seed), '--runs', '120'], command)
      const findings = report?.findings ?? []
      if (code !== 0) blamed += 1
      const name = command.slice(-1)[0].replace(/.*\//, '')
      const what = findings
        .map(({ kinds, message, failed, of }) => `${kinds}: ${message} (${failed}/${of})`)
        .join('; ')
      const tries = `${report?.tries.length} tries, ${report?.timings.tries_per_second}/s`
      console.log(
        `${code === 0 ? 'clean ' : 'BLAMED'} ${name.padEnd(17)} seed ${seed}  ${tries}  ${what}${stderr}`,
      )
    }
  console.log(`${blamed} false alarms in ${RIGHT.length * SEEDS} explorations`)
  return blamed === 0
}

const WAITING = 'call-slow,webhook-early,webhook-late'

async function speed() {
  for (const fresh of ['never', 'run']) {
    const folder = await mkdtemp(join(tmpdir(), 'paysim-speed-'))
    const story = join(folder, 'story.yaml')
    await writeFile(story, readFileSync(STORY, 'utf8').replace('app:', `app:\n  fresh: ${fresh}`))
    const flags = ['--skip', WAITING, '--jobs', '2', '--runs', '150']
    const { report } = await explore(flags, ['node', here('apps/right.mjs'), 'by-state'], story)
    await rm(folder, { recursive: true })
    console.log(`fresh: ${fresh}: ${report?.timings.tries_per_second} tries a second`)
  }
  return true
}

const PARTS = { wrong, right, speed }
const named = process.argv.slice(2).filter(name => Object.hasOwn(PARTS, name))
let isGood = true
for (const name of named.length > 0 ? named : Object.keys(PARTS)) isGood = (await PARTS[name]()) && isGood
process.exitCode = isGood ? 0 : 1
