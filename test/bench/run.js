// npm run bench: compares paysim's speed with bare node:http, with its peers or with another commit, in the same run.
import { readFile, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { measurePeers } from './against-peers.js'
import { measureCluster } from './cluster.js'
import { measureCreate } from './create-payment.js'
import { measureDashboard } from './dashboard.js'
import { measureDeliveries } from './deliveries.js'
import { measureFairTime } from './fair-time.js'
import { measureGet } from './get-payment.js'
import { measureListMemory } from './list-memory.js'
import { measureList } from './list-payouts.js'
import { measureLosses } from './losses.js'
import { measureMerchants } from './merchants.js'
import { slowerThanPage, writePage } from './page.js'
import { measureReceipts } from './receipts.js'
import { measureRestart } from './restart.js'
import { misses } from './rounds.js'
import { readSettings } from './settings.js'
import { measureSoak } from './soak.js'
import { measureStarts } from './starts.js'
import { measureSuite } from './suite.js'
import { shown, table } from './table.js'

const settings = readSettings()
const rows = []
let isWhole = true

if (wanted('suite')) await measure('suite', measureSuite)
if (wanted('dashboard')) await measure('dashboard', measureDashboard)
if (wanted('start')) await measure('start', measureStarts)
if (wanted('memory')) await measure('memory', measureListMemory)
for (const count of settings.sizes) {
  if (wanted('get')) await measure(`get, ${shown(count)} records`, measureGet, count)
  if (wanted('create')) await measure(`create, ${shown(count)} records`, measureCreate, count)
  if (wanted('list')) await measure(`list, ${shown(count)} records`, measureList, count)
}
if (wanted('receipts')) await measure('receipts', measureReceipts)
if (wanted('deliveries')) await measure('deliveries', measureDeliveries)
if (wanted('merchants')) await measure('merchants', measureMerchants)
if (wanted('fair')) await measure('fair', measureFairTime)
if (wanted('peers', !settings.quick)) await measure('peers', measurePeers)
const compared = wanted('parent', settings.quick) ? await measure('parent', measureLosses) : []
if (wanted('cluster', false)) await measure('cluster', measureCluster)
if (wanted('soak', false)) await measure('soak', measureSoak)
if (wanted('restart')) await measure('restart', measureRestart, settings.journal)

const machine = `node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'an unknown processor'}`
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
console.log(`${machine}\n\n${table(rows)}`)
if (settings.jsonFile) await writeFile(settings.jsonFile, `${JSON.stringify({ machine, rows }, null, 2)}\n`)

const slower = slowerThanPage(rows)
if (slower.length > 0)
  console.error(`\nslower than the page says: ${slower.map(({ what }) => what).join('; ')}`)

if (!isWhole) process.exitCode = 1
else if (!settings.quick && !settings.only) writePage({ rows, machine, version })

const lost = compared.filter(row => row.lost)
if (lost.length > 0) {
  console.error(`\nmore than 25% worse than before, each time: ${lost.map(({ name }) => name).join('; ')}`)
  process.exitCode = 1
}
const missed = rows.filter(misses)
if (settings.check && missed.length > 0) {
  console.error(`\nbelow target by more than noise: ${missed.map(({ name }) => name.trim()).join('; ')}`)
  process.exitCode = 1
}

/** Runs one measurement, and ends what it started. After an error the others go on, but no page is written. */
async function measure(label, run, count) {
  const startedAt = performance.now()
  const ends = []
  const onEnd = end => ends.push(end)
  try {
    const measured = await (count === undefined ? run(settings, onEnd) : run(settings, count, onEnd))
    rows.push(...measured)
    return measured
  } catch (error) {
    isWhole = false
    console.error(`${label} failed:`, error)
    return []
  } finally {
    for (const end of ends.reverse()) await end()
    console.error(`${label}: ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
  }
}

/** What was asked for, or everything that belongs to this form of the run. */
function wanted(name, byDefault = true) {
  return settings.only ? settings.only.includes(name) : byDefault
}
