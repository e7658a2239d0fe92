// Tests `paysim explore` with many applications: it must find every planted bug by its kind, and blame no correct
// application. `npm run explore:proof [-- wrong|right|wrongsuites|rightsuites|start|speed]` takes hours, and writes docs/explore-proof.md; the
// suite has a short form in explore.test.ts. Further words name applications or bugs, and only their rows are written
// again: `-- right by-state re-fetching`. `-- --changed` measures nothing, and names the rows that are older than what
// they measure. SEEDS sets the number of seeds; BASELINE, the bin/paysim.js of another commit,
// adds the ratio to it to the part speed.
import { execFile, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresPrograms, whyNoPostgres } from '../support/postgres/find-programs.js'

const here = path => fileURLToPath(new URL(path, import.meta.url))
const read = name => JSON.parse(readFileSync(here(`apps/${name}`), 'utf8'))
const BINARY = here('../../bin/paysim.js')
const PROOF = here('../../docs/explore-proof.md')
const SHOP = here('apps/story.yaml')
const WALLET = here('apps/wallet.yaml')
const PAYER = here('apps/payer.yaml')
const IMPLIED = here('apps/implied.yaml')
const TILL = here('apps/till.yaml')
const CHECKOUT = here('apps/checkout.yaml')
const ON_POSTGRES = ['sh', here('apps/own-database.sh')]
/** Where there is no PostgreSQL, the shop on it is left out. */
const HAS_POSTGRES = whyNoPostgres() === undefined
const EXAMPLE = here('../../scenarios/explore/orders.yaml')
const WRONG = [
  { story: SHOP, app: 'wrong.mjs', planted: read('planted.json') },
  { story: WALLET, app: 'wrong-wallet.mjs', planted: read('planted-wallet.json') },
  { story: PAYER, app: 'wrong-payer.mjs', planted: read('planted-payer.json') },
  {
    story: CHECKOUT,
    app: 'machine-shop.mjs',
    planted: { 'a-queue-in-memory': 'restart', 'a-task-that-is-tried-once': 'call-503' },
  },
  ...(HAS_POSTGRES
    ? [
        {
          story: CHECKOUT,
          app: 'postgres-shop.mjs',
          before: ON_POSTGRES,
          planted: { 'a-new-payment-for-each-press': 'click-again' },
        },
      ]
    : []),
]
const node = (app, ...styles) =>
  styles.map(style => ({ name: style, command: ['node', here(`apps/${app}`), style] }))
const python = app => ({ name: app, command: ['python3', here(`apps/${app}`)] })
const RIGHT = [
  ...node('right.mjs', 'by-state', 'by-event-id', 'by-payment-and-status'),
  ...node('right.mjs', 're-reading', 'polling-only', 'queue-and-worker', 'with-a-heartbeat'),
  python('right.py'),
  python('right-sqlite.py'),
  ...node('wallet.mjs', 'transaction-log', 'durable-queue', 're-fetching').map(app => ({
    ...app,
    story: WALLET,
  })),
  { ...python('right.py'), name: 'right.py-and-its-payers', story: PAYER },
  ...node('till.mjs', 'till-by-state', 'till-re-reading').map(app => ({ ...app, story: TILL })),
  ...node('right.mjs', 'reads-at-the-return', 'shows-at-the-return').flatMap(app => [
    { ...app, story: PAYER },
    { ...app, name: `${app.name}-by-itself`, story: IMPLIED },
  ]),
  { name: 'machine-shop', command: ['node', here('apps/machine-shop.mjs')], story: CHECKOUT },
  ...(HAS_POSTGRES
    ? [
        {
          name: 'postgres-shop',
          command: [...ON_POSTGRES, 'node', here('apps/postgres-shop.mjs')],
          story: CHECKOUT,
        },
      ]
    : []),
]
const commitOf = cwd =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' }).trim()
const COMMIT = commitOf(here('.'))
const SEEDS = Number(process.env.SEEDS ?? 10)
/** Of so many seeds one has a process for each run. With the others one process serves all runs, which takes a sixth of the time. */
const PROCESS_FOR_EACH_RUN = 5
/** More than there are places, so that pairs are tried too. */
const RUNS = new Map([
  [undefined, 150],
  [WALLET, 280],
  [PAYER, 150],
  [IMPLIED, 90],
  [TILL, 320],
  [CHECKOUT, 150],
])
const seconds = ms => (ms / 1000).toFixed(1)
const WORDS = process.argv.slice(2)

async function explore(flags, command, story = SHOP, fresh = 'run', binary = BINARY) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-proof-'))
  const file = join(folder, 'story.yaml')
  await writeFile(file, readFileSync(story, 'utf8').replace('app:', `app:\n  fresh: ${fresh}`))
  const args = [binary, 'explore', file, '--save', folder, '-o', 'json', ...flags, '--', ...command]
  const { code, stdout, stderr } = await new Promise(resolve =>
    execFile(process.execPath, args, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
  await rm(folder, { recursive: true })
  const report = stdout === '' ? undefined : JSON.parse(stdout).explorations[0]
  return { code, stderr, report }
}

const MISSED = '**missed**'

/** What an exploration says of a correct application. One that did not try every place is no proof. */
function verdictOf(code) {
  const said = { 0: 'clean ', 10: 'BLAMED' }[code]
  if (said === undefined) process.exitCode = 1
  return { said: said ?? 'BROKEN', isAlarm: code === 10, isProof: said !== undefined }
}

/** Those that the command line names, or all. */
const chosen = names => {
  const named = names.filter(name => WORDS.includes(name))
  return named.length > 0 ? named : names
}

/** The rows of the document that are not written again. */
function keptRows(title, written) {
  if (!existsSync(PROOF)) return []
  const section =
    readFileSync(PROOF, 'utf8')
      .split(/^(?=## )/m)
      .find(part => part.startsWith(`## ${title}\n`)) ?? ''
  const rows = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row.split(' | ')).slice(2)
  return rows.filter(([name]) => !written.includes(name))
}

/** Each part prints as it goes on, and returns its section of the document. */
async function wrong() {
  const rows = []
  const bugs = chosen(WRONG.flatMap(({ planted }) => Object.keys(planted)))
  for (const { story, app, before = [], planted } of WRONG)
    for (const [bug, kind] of Object.entries(planted)) {
      if (!bugs.includes(bug)) continue
      const flags = ['--only', kind, '--runs', '30']
      const { code, report, stderr } = await explore(
        flags,
        [...before, 'node', here(`apps/${app}`), bug],
        story,
      )
      const first = report?.findings.find(({ kinds }) => kinds.includes(kind))
      const isFound = code === 10 && first !== undefined
      const why = first?.message ?? (stderr || (report?.plain.failure ?? []).join(' '))
      console.log(`${isFound ? 'found ' : 'MISSED'} ${bug.padEnd(32)} ${kind.padEnd(22)} ${why}`)
      const rate = first ? `${first.failed} of ${first.of}` : MISSED
      rows.push([
        bug,
        kind,
        isFound ? rate : MISSED,
        report?.tries.length ?? 0,
        seconds(report?.timings.took_ms ?? 0),
        COMMIT,
      ])
    }
  const title = 'Planted bugs'
  const all = [...keptRows(title, bugs), ...rows]
  const found = all.filter(([, , rate]) => rate !== MISSED).length
  const sentence = `${found} of ${all.length} planted bugs were found, each by its kind.`
  console.log(sentence)
  const head = ['bug', 'kind', 'repeated', 'tries', 'seconds', 'at commit']
  return { isGood: found >= all.length - 1, title, sentence, table: [head, ...all] }
}

async function right() {
  const rows = []
  const names = chosen(RIGHT.map(({ name }) => name))
  for (const { name, command, story } of RIGHT.filter(one => names.includes(one.name))) {
    const sum = { seeds: 0, tries: 0, ms: 0, alarms: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const { code, report, stderr } = await explore(
        ['--seed', String(seed), '--runs', String(RUNS.get(story))],
        command,
        story,
        seed % PROCESS_FOR_EACH_RUN === 1 ? 'run' : 'never',
      )
      const what = (report?.findings ?? []).map(
        one => `${one.kinds}: ${one.message} (${one.failed}/${one.of})`,
      )
      const tries = report?.tries.length ?? 0
      const verdict = verdictOf(code)
      console.log(`${verdict.said} ${name} seed ${seed}  ${tries} tries  ${what.join('; ')}${stderr}`)
      if (!verdict.isProof) continue
      sum.seeds += 1
      sum.tries += tries
      sum.ms += report?.timings.took_ms ?? 0
      if (verdict.isAlarm) sum.alarms += 1
    }
    rows.push([name, sum.seeds, sum.tries, seconds(sum.ms), sum.alarms, COMMIT])
  }
  const title = 'Correct applications'
  const all = [...keptRows(title, names), ...rows]
  const [seeds, blamed] = [1, 4].map(at => all.reduce((sum, row) => sum + Number(row[at]), 0))
  const alarms = blamed === 1 ? '1 false alarm' : `${blamed} false alarms`
  const sentence = `${alarms} in ${seeds} explorations of ${all.length} correct applications.`
  console.log(sentence)
  const head = ['application', 'seeds', 'tries', 'seconds', 'alarms', 'at commit']
  return { isGood: blamed === 0, title, sentence, table: [head, ...all] }
}

/** An application that needs ten seconds to start, with a process for each run. */
async function start() {
  const slow = `setTimeout(() => { process.argv[2] = 'by-state'; import(${JSON.stringify(here('apps/right.mjs'))}) }, 10_000)`
  const kinds = ['--only', 'webhook-twice,restart', '--runs', '13']
  const { code, report, stderr } = await explore(kinds, ['node', '-e', slow, 'x'])
  const tries = report?.tries.length ?? 0
  console.log(`${code === 0 ? 'clean ' : 'BLAMED'} starts in 10 s  ${tries} tries  ${stderr}`)
  const table = [
    ['tries', 'seconds', 'verdict'],
    [tries, seconds(report?.timings.took_ms ?? 0), report?.verdict],
  ]
  const sentence = 'The application needs ten seconds to start, and has a process for each run.'
  return { isGood: code === 0, title: 'A slow start', sentence, table }
}

const WAITING = 'call-slow,webhook-early,webhook-late'

const SPEEDS = [
  {
    name: 'the shop of the examples, two orders',
    story: EXAMPLE,
    command: ['node', here('../../scenarios/explore/shop.mjs')],
  },
  { name: 'by-state, four orders', story: SHOP, command: ['node', here('apps/right.mjs'), 'by-state'] },
]
/** How often each is measured: the middle one counts. */
const SPEED_ROUNDS = 5

/** Another build to compare with, as the path of its `bin/paysim.js`; each round measures one after the other. */
const BASELINE = process.env.BASELINE

async function speed() {
  const rows = []
  const rateOf = async ({ story, command }, fresh, binary) => {
    const flags = ['--skip', WAITING, '--jobs', '2', '--runs', '150']
    const { report } = await explore(flags, command, story, fresh, binary)
    return report?.timings.tries_per_second ?? 0
  }
  for (const one of SPEEDS)
    for (const fresh of ['never', 'run']) {
      const rounds = []
      for (let round = 0; round < SPEED_ROUNDS; round++) {
        const before = BASELINE === undefined ? undefined : await rateOf(one, fresh, BASELINE)
        rounds.push({ rate: await rateOf(one, fresh), before })
      }
      const spread = numbers => numbers.sort((a, b) => a - b).filter((_, at) => at % 2 === 0)
      const [slowest, middle, fastest] = spread(rounds.map(({ rate }) => rate))
      const row = [one.name, `fresh: ${fresh}`, middle, `${slowest} to ${fastest}`]
      if (BASELINE !== undefined) {
        const [least, ratio, most] = spread(rounds.map(({ rate, before }) => rate / before))
        row.push(`${ratio.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`)
      }
      rows.push(row)
      console.log(rows.at(-1).join('  '))
    }
  const sentence = [
    `150 tries with --jobs 2, without ${WAITING}. Whatever else the machine did at the time counts too. A run with call-429`,
    'waits a second for its Retry-After, in a process that no other run can use. At most 7 of these wait at a time, so the',
    '20 runs of two orders with it take three seconds, however fast the others are.',
    ...(BASELINE === undefined
      ? []
      : [`Before is commit ${commitOf(dirname(BASELINE))}; the two were measured in turn.`]),
  ].join('\n')
  const head = ['application', 'processes', 'tries a second', `range of ${SPEED_ROUNDS} rounds`]
  if (BASELINE !== undefined) head.push('ratio to before')
  return { isGood: rows[0][2] >= 20 && rows[1][2] >= 4, title: 'Speed', sentence, table: [head, ...rows] }
}

/** Test suites of the shop, in three languages. Each starts the shop whose command it is given. */
const SUITES = [
  { name: 'shop.sh', command: shop => ['sh', here('apps/suites/shop.sh'), ...shop] },
  { name: 'test-shop.py', command: () => ['python3', here('apps/suites/test-shop.py')] },
  {
    name: 'shop.suite.mjs',
    command: () => [
      ...['node', here('../../node_modules/vitest/vitest.mjs'), 'run'],
      ...['--root', here('apps/suites')],
    ],
  },
]
/** The bugs that tests of the shop's orders can see, and the kinds that show them. */
const SEEN_BY_TESTS = {
  'ships-at-each-event': 'webhook-twice',
  'looks-before-it-waits': 'webhook-twice-at-once',
  'knows-the-last-event-only': 'webhook-lost-answer',
  'dedupes-by-signature': 'webhook-lost-answer',
  'refuses-unknown-fields': 'webhook-unknown-field',
  'dies-of-unknown-types': 'webhook-unknown-type',
  'takes-any-event-for-success': 'webhook-unknown-type',
  'does-not-verify': 'webhook-forged',
  'verifies-what-is-signed': 'webhook-unsigned',
  'forgets-the-timestamp': 'webhook-stale',
  'refuses-unknown-members': 'answer-unknown-field',
}
const RIGHT_FOR_TESTS = ['by-state', 'by-event-id', 're-reading']

async function exploreSuite({ command }, shop, flags) {
  const folder = await mkdtemp(join(tmpdir(), 'paysim-proof-'))
  const args = [BINARY, 'explore', '--suite', '--jobs', '2', '--save', folder, '-o', 'json', ...flags, '--']
  const env = { ...process.env, SHOP: JSON.stringify(shop) }
  const { code, stdout, stderr } = await new Promise(resolve =>
    execFile(
      process.execPath,
      [...args, ...command(shop)],
      { env, maxBuffer: 2 ** 28 },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    ),
  )
  await rm(folder, { recursive: true })
  return { code, stderr, report: stdout === '' ? undefined : JSON.parse(stdout).explorations[0] }
}

/** The suites that the command line names, or all, each with what it names of these. */
const suitesWith = names =>
  SUITES.filter(({ name }) => chosen(SUITES.map(suite => suite.name)).includes(name)).flatMap(suite =>
    chosen(names).map(name => ({ suite, name, row: `${suite.name}: ${name}` })),
  )

async function wrongsuites() {
  const rows = []
  for (const { suite, name, row } of suitesWith(Object.keys(SEEN_BY_TESTS))) {
    const kind = SEEN_BY_TESTS[name]
    const shop = ['node', here('apps/wrong.mjs'), name]
    const { code, report, stderr } = await exploreSuite(suite, shop, ['--only', kind])
    const first = report?.findings.find(({ kinds }) => kinds.includes(kind))
    const isFound = code === 10 && first !== undefined
    const why = first?.message ?? (stderr || (report?.plain.failure ?? []).join(' '))
    console.log(`${isFound ? 'found ' : 'MISSED'} ${row}  ${kind}  ${why}`)
    const tries = report?.tries.length ?? 0
    const rate = isFound ? `${first.failed} of ${first.of}` : MISSED
    rows.push([row, kind, rate, tries, seconds(report?.timings.took_ms ?? 0), COMMIT])
  }
  const title = 'Planted bugs under a test suite'
  const written = rows.map(([row]) => row)
  const all = [...keptRows(title, written), ...rows]
  const found = all.filter(([, , rate]) => rate !== MISSED).length
  const sentence = `${found} of ${all.length} planted bugs were found by \`explore --suite\`, each by its kind.`
  console.log(sentence)
  const head = ['suite: bug', 'kind', 'repeated', 'tries', 'seconds', 'at commit']
  return { isGood: found >= 0.9 * all.length, title, sentence, table: [head, ...all] }
}

async function rightsuites() {
  const rows = []
  for (const { suite, name, row } of suitesWith(RIGHT_FOR_TESTS)) {
    const sum = { seeds: 0, tries: 0, ms: 0, alarms: 0 }
    for (let seed = 1; seed <= SEEDS; seed++) {
      const shop = ['node', here('apps/right.mjs'), name]
      const { code, report, stderr } = await exploreSuite(suite, shop, ['--seed', String(seed)])
      const what = (report?.findings ?? []).map(one => `${one.kinds}: ${one.message}`)
      const verdict = verdictOf(code)
      console.log(`${verdict.said} ${row} seed ${seed}  ${what.join('; ')}${stderr}`)
      if (!verdict.isProof) continue
      sum.seeds += 1
      sum.tries += report?.tries.length ?? 0
      sum.ms += report?.timings.took_ms ?? 0
      if (verdict.isAlarm) sum.alarms += 1
    }
    rows.push([row, sum.seeds, sum.tries, seconds(sum.ms), sum.alarms, COMMIT])
  }
  const title = 'Correct applications under a test suite'
  const written = rows.map(([row]) => row)
  const all = [...keptRows(title, written), ...rows]
  const [seeds, blamed] = [1, 4].map(at => all.reduce((sum, row) => sum + Number(row[at]), 0))
  const sentence = `${blamed === 1 ? '1 false alarm' : `${blamed} false alarms`} in ${seeds} explorations with the suites.`
  console.log(sentence)
  const head = ['suite: application', 'seeds', 'tries', 'seconds', 'alarms', 'at commit']
  return { isGood: blamed === 0, title, sentence, table: [head, ...all] }
}

const PARTS = { wrong, right, wrongsuites, rightsuites, start, speed }

const HEAD = `# What \`paysim explore\` finds, and its false alarms

\`npm run explore:proof\` writes this, each part when it is run. The applications are in \`test/explore/apps\`.
`

/** The document with this section in the place of its former one. */
function withSection(document, { title, sentence, table: [head, ...rows] }) {
  const cores = availableParallelism()
  const section = [
    `## ${title}`,
    '',
    sentence,
    '',
    `Written at commit ${COMMIT}, with Node ${process.versions.node} on ${cores} cores.`,
    '',
    ...[head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`),
    '',
  ].join('\n')
  const parts = document.split(/^(?=## )/m)
  const at = parts.findIndex(part => part.startsWith(`## ${title}\n`))
  return parts
    .toSpliced(at < 0 ? parts.length : at, at < 0 ? 0 : 1, section)
    .map(part => part.trimEnd())
    .join('\n\n')
    .concat('\n')
}

/** Whether anything that a row measures was changed after the row's commit. A commit that is not there is older. */
function isOlder(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: here('../..'), encoding: 'utf8', stdio: 'pipe' })
  try {
    return git('diff', '--name-only', commit, '--', ...MEASURED).trim() !== ''
  } catch {
    return true
  }
}

/** What a row measures: how paysim explores, and the applications. */
const MEASURED = ['src/explore', 'src/application', 'src/scenario', 'test/explore/apps']

/** The tables of the document, each with its title and the commit at which all of it was written. */
const tablesIn = document =>
  document
    .split(/^(?=## )/m)
    .slice(1)
    .map(section => {
      const [head = [], , ...rows] = [...section.matchAll(/^\| (.*) \|$/gm)].map(([, row]) =>
        row.split(' | '),
      )
      const [title] = section.slice(3).split('\n')
      return { title, commit: /^Written at commit (\w+)/m.exec(section)?.[1], head, rows }
    })

/** Names each row that is older than what it measures. Returns how many there are. */
function changed() {
  const older = new Map()
  const rows = tablesIn(readFileSync(PROOF, 'utf8')).flatMap(({ title, commit, head, rows }) =>
    rows.map(row => ({ title, row, at: head.at(-1) === 'at commit' ? row.at(-1) : commit })),
  )
  for (const { at } of rows) if (!older.has(at)) older.set(at, isOlder(at))
  const old = rows.filter(({ at }) => older.get(at))
  for (const { title, row, at } of old) console.log(`${title}: ${row[0]} was measured at ${at}`)
  console.log(`${old.length} of ${rows.length} rows are older than what they measure.`)
  return old.length
}

/** Says how long the rows of the document took, which is their sum, since they follow each other. */
function withDuration(document) {
  const spent = tablesIn(document).flatMap(({ head, rows }) => {
    const at = head.indexOf('seconds')
    return at < 0 ? [] : rows.map(row => Number(row[at]))
  })
  const hours = (spent.reduce((sum, one) => sum + one, 0) / 3600).toFixed(1)
  const said = `All rows together took ${hours} hours, without the part on speed.`
  const line = /^All rows together took .*$/m
  return line.test(document) ? document.replace(line, said) : document.replace('\n## ', `\n${said}\n\n## `)
}

/** A PostgreSQL for as long as this process lives, by which the shop on it finds its server. */
async function startPostgres() {
  const programs = postgresPrograms()
  const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '200', logging_collector: 'off' }
  const plan = { programs, password: 'shop', settings }
  const keeper = fork(here('../support/postgres/keeper.js'), [JSON.stringify(plan)], { execArgv: [] })
  const [{ port, directory, problem }] = await once(keeper, 'message')
  if (problem !== undefined) throw new Error(problem)
  Object.assign(process.env, { PGHOST: directory, PGPORT: port, PGUSER: 'paysim', PGPASSWORD: 'shop' })
  // The shop's lease, as a merchant sets it for tests; pg-boss has 15 minutes.
  Object.assign(process.env, { LEASE_S: 2, PATH: `${programs}:${process.env.PATH}` })
  return () => keeper.disconnect()
}

if (WORDS.includes('--changed')) process.exit(changed() === 0 ? 0 : 1)
const stopPostgres = HAS_POSTGRES ? await startPostgres() : () => {}
const named = WORDS.filter(name => Object.hasOwn(PARTS, name))
for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
  const section = await PARTS[name]()
  const document = withSection(existsSync(PROOF) ? readFileSync(PROOF, 'utf8') : HEAD, section)
  await writeFile(PROOF, withDuration(document))
  if (!section.isGood) process.exitCode = 1
}
stopPostgres()
