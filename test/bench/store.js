import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { recordName } from './names.js'
import { getJson, PAYMENTS, payoutWith, postJson, servePaysim, transferPayment } from './paysim.js'

// Creates hundreds of thousands of records in seconds: the server creates one of each kind, and its journal lines are
// copied with other names. So the replay reads lines that it wrote itself.

const KINDS = {
  payments: {
    prefix: 'pi',
    makeSamples: server => [postJson(server.url + PAYMENTS, server.authorization, transferPayment('sample'))],
  },
  payouts: {
    prefix: 'po',
    // Several states, so that a page has to be merged from several indexes.
    makeSamples: server =>
      ['requires_approval', 'processing', 'succeeded', 'failed'].map(status =>
        postJson(`${server.control}/payouts`, server.controlAuthorization, payoutWith(status, 'sample')),
      ),
  },
}

export async function emptyFolder() {
  const path = await mkdtemp(join(tmpdir(), 'paysim-bench-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A data directory with this many payments or payouts in the default test account. */
export async function makeStore(binary, kind, count) {
  const { prefix, makeSamples } = KINDS[kind]
  const { path, remove } = await emptyFolder()
  const server = await servePaysim(binary, ['--data', path])
  await Promise.all(makeSamples(server))
  await server.stop()
  const journal = join(path, 'accounts/default.test/journal.jsonl')
  const [head, ...lines] = (await readFile(journal, 'utf8')).trim().split('\n')
  // It tells how the server left its files, and these are others.
  await rm(join(path, 'seal.jsonl'))
  await writeLines(journal, journalOf(head, copiesOf(lines, kind, count)))
  return { path, prefix, count, remove }
}

/**
 * A data directory with this many payments in the default test account: every second one has succeeded, and its webhook was
 * delivered; the others are open.
 */
export async function makeLivedStore(binary, count) {
  const { path, remove } = await emptyFolder()
  const server = await servePaysim(binary, ['--data', path])
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end())
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const send = (where, body) => postJson(server.control + where, server.controlAuthorization, body)
  const url = `http://127.0.0.1:${receiver.address().port}/`
  await send('/webhook-endpoints', { url })
  const ids = []
  for (let nth = 0; nth < 2; nth++) {
    const { body } = await postJson(server.url + PAYMENTS, server.authorization, transferPayment('sample'))
    ids.push(body.id)
  }
  await send(`/payments/${ids[1]}/succeed`)
  while (!(await overviewOf(server)).webhooks.by_status.delivered) await nextTurn()
  receiver.close()
  await server.stop()
  const journal = join(path, 'accounts/default.test/journal.jsonl')
  const [head, endpoint, open, ...ended] = (await readFile(journal, 'utf8')).trim().split('\n')
  await rm(join(path, 'seal.jsonl'))
  await writeLines(journal, livesOf(head, endpoint, [[open], ended], count))
  return { path, prefix: 'pi', count, remove }
}

const overviewOf = async ({ control, controlAuthorization }) =>
  (await getJson(`${control}/overview`, controlAuthorization)).body

function* livesOf(head, endpoint, lives, count) {
  yield `${head}\n`
  yield `${endpoint}\n`
  const { at: start } = JSON.parse(endpoint)
  let seq = 1
  for (let nth = 1; nth <= count; nth++)
    for (const line of lives[nth % lives.length]) {
      const rest = line
        .slice(line.indexOf(',"by":') + 1, line.lastIndexOf(',"crc":'))
        .replace(/\b(pi|evt|dlv)_\w{24}/g, (_, prefix) => recordName(prefix, nth))
        .replace('"merchantReference":"sample"', `"merchantReference":"order-${nth}"`)
      const text = `{"v":1,"seq":${++seq},"at":${start},${rest}`
      yield `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`
    }
}

function* journalOf(head, lines) {
  yield `${head}\n`
  yield* lines
}

/** As many journal lines, which differ from these in time, id and reference. */
export function copiesOf(lines, kind, count) {
  const { prefix } = KINDS[kind]
  const samples = lines.map(line => sampleOf(line, prefix))
  return copies(samples, prefix, count)
}

/** A journal line split where copies differ. */
function sampleOf(line, prefix) {
  const { seq, at } = JSON.parse(line)
  const [id] = new RegExp(`${prefix}_\\w{24}`).exec(line)
  const start = `{"v":1,"seq":${seq},"at":${at},`
  if (!line.startsWith(start)) throw new Error(`the journal has another format than this seeds: ${line}`)
  return { at, id, rest: line.slice(start.length, line.lastIndexOf(',"crc":')) }
}

/** One per millisecond, up to the time of the samples. */
function* copies(samples, prefix, count) {
  for (let nth = 1; nth <= count; nth++) {
    const { at, id, rest } = samples[nth % samples.length]
    const named = rest.replaceAll(id, recordName(prefix, nth)).replace('"sample"', `"order-${nth}"`)
    const text = `{"v":1,"seq":${nth},"at":${at - count + nth},${named}`
    yield `${text},"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`
  }
}

async function writeLines(path, lines) {
  const file = createWriteStream(path, { highWaterMark: 1024 * 1024 })
  for (const line of lines) if (!file.write(line)) await once(file, 'drain')
  await finished(file.end())
}
