// npm run validate: the shipped scenarios, with a validator that nobody here wrote between them and paysim.
//
//   paysim run ──▶ gate ──▶ Prism, a validating proxy ──▶ paysim serve
//
// Prism holds each request and each answer against the OpenAPI document that this server gives out, and notes what
// breaks it; the gate reads the notes. What Prism cannot pass on unharmed is left out by name, with the reason.
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openGate } from './gate.js'
import { installPrism, startPrism } from './prism.js'
import { askControl, PAYSIM, servePaysim } from './serve.js'

const SCENARIOS = fileURLToPath(new URL('../../scenarios', import.meta.url))

const LEFT_OUT_SCENARIOS = {
  'answer-lost-after-commit.yaml': 'a connection cut on purpose becomes an answer of its own in Prism',
}

const ends = []
const work = await mkdtemp(join(tmpdir(), 'paysim-validator-'))
ends.push(() => rm(work, { recursive: true, force: true }))
try {
  process.exitCode = (await validate()) ? 0 : 1
} finally {
  for (const end of ends.reverse()) await end()
}

async function validate() {
  const prism = await installPrism()
  const server = await servePaysim('--control-port', '0', '--clock', 'virtual')
  ends.push(server.stop)
  const control = (method, path, body) => askControl(server, method, path, body)
  const document = await control('GET', '/openapi.json')
  const file = join(work, 'merchant-api.json')
  await writeFile(file, JSON.stringify(document))
  const proxy = await startPrism(prism, file, server.url)
  ends.push(proxy.stop)
  const gate = await openGate(document, { validator: proxy.url, server: server.url })
  ends.push(gate.close)

  const files = (await readdir(SCENARIOS)).filter(name => name.endsWith('.yaml'))
  const played = files.filter(name => !(name in LEFT_OUT_SCENARIOS)).map(name => join(SCENARIOS, name))
  const storiesHeld = await play(server, gate.url, played)
  const exchanges = [...gate.exchanges]
  const leftOut = [
    ...gate.leftOut(),
    ...Object.entries(LEFT_OUT_SCENARIOS).map(([name, reason]) => `${name}: ${reason}`),
  ]
  const problems = [
    ...(storiesHeld ? [] : ['a scenario did not end as it says: see above']),
    ...exchanges.flatMap(violationsOf),
    ...gate.operations
      .filter(operation => !exchanges.some(({ name }) => name === operation))
      .map(operation => `${operation}: no scenario called it through the validator`),
    ...((await noticesWrongAnswers(control, gate)) ? [] : ['answers that break the document went unnoticed']),
  ]
  for (const line of countsOf(exchanges)) console.log(line)
  for (const line of leftOut) console.log(`left out: ${line}`)
  for (const line of new Set(problems)) console.log(`FAILED: ${line}`)
  console.log(
    `${exchanges.length} exchanges of ${played.length} scenarios validated by Prism ${prism.version}`,
  )
  return problems.length === 0
}

function violationsOf({ name, status, violations }) {
  return violations.map(
    ({ location, message }) => `${name}, answered ${status}: ${location.join('.')}: ${message}`,
  )
}

/** How often each operation was answered with what. */
function countsOf(exchanges) {
  const counts = new Map()
  for (const { name, status } of exchanges) {
    const statuses = counts.get(name) ?? new Map()
    counts.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
  }
  return [...counts].sort().map(([name, statuses]) => {
    const each = [...statuses].sort().map(([status, count]) => `${status} × ${count}`)
    return `${name}: ${each.join(', ')}`
  })
}

/** Runs the scenarios against the server, with its merchant API at the address given. */
async function play({ control_url, control_token }, baseUrl, files) {
  const where = ['--control-url', control_url, '--control-token', control_token, '--base-url', baseUrl]
  try {
    await promisify(execFile)(process.execPath, [PAYSIM, 'run', ...files, ...where, '--quiet'], { cwd: work })
    return true
  } catch (cause) {
    console.log(cause.stdout || cause.message)
    console.log(cause.stderr ?? '')
    return false
  }
}

/** Whether the whole chain would tell: faults make the server answer with what its document does not have. */
async function noticesWrongAnswers(control, gate) {
  const { id, accounts } = await control('POST', '/merchants', {})
  const [account] = accounts
  const authorization = `Basic ${Buffer.from(`${account.public_key}:${account.secret_key}`).toString('base64')}`
  const before = gate.exchanges.length
  for (const wrong of [
    { status: 200, body: { data: 'none', has_more: false } },
    { status: 418, body: {} },
  ]) {
    const faults = [{ on: 'GET /payout_intents', type: 'status', ...wrong }]
    await control('PUT', `/accounts/${account.id}/faults`, { faults })
    await (await fetch(`${gate.url}/payout_intents`, { headers: { authorization } })).text()
  }
  await control('DELETE', `/merchants/${id}`)
  const answers = gate.exchanges.slice(before)
  return answers.length === 2 && answers.every(({ violations }) => violations.length > 0)
}
