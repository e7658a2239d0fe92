import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { COLUMNS, cellsOf } from './table.js'

const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

/** How much worse a ratio is than on the page, if it is named. */
const SLOWER = 0.25

/**
 * The lines whose ratio was better on the page than in each round now, and by more than a quarter: what is lost little by
 * little does not show beside the parent commit.
 */
export function slowerThanPage(rows) {
  const before = new Map(ratiosOf(rowsOnPage()).map(({ what, fair }) => [what, fair]))
  return ratiosOf(rows).filter(({ what, fair, best }) => {
    const then = before.get(what)
    return fair < then * (1 - SLOWER) && best < then
  })
}

function rowsOnPage() {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  return lines.flatMap(line => {
    const [name, ours, , ratio] = line.startsWith('| ') ? line.slice(2).split(' | ') : []
    return Number(ratio) > 0 ? [{ name, unit: ours, ratio: Number(ratio) }] : []
  })
}

/** docs/benchmarks.md: the last full run. */
export function writePage({ rows, machine, version }) {
  writeFileSync(
    PAGE,
    `# Benchmarks

<!-- Written by \`npm run bench\`: change test/bench/page.js, not this page. -->

The last full run of \`npm run bench\`, with paysim ${version} on ${machine}. A ratio compares paysim with the other side in
the same run: their rounds take turns, so other work on the machine slows down both. *rounds* is the range of the ratio
over the rounds. *CPU* is the processor time that one request takes in paysim and in the other side, and *by CPU* is the
ratio of the two, which other work on the machine hardly changes. For rates, a ratio above 1 is in favour of paysim; for
times and memory, a ratio below 1. To compare two machines, compare their ratios, not their figures.

Each server answers on one port of the same machine, to 32 connections. Each connection sends its next request when it has
the previous answer. paysim runs as \`serve --json\`, and another process reads its output. It stores every payment in a
data directory, and answers a create only after the payment is synced to disk. *Bare node:http* is the smallest server that
gives the same answers: it looks up a record in a Map, or stores one there. *With group commit*, it also writes each record
to a file, and all requests that wait share one \`fdatasync\`. The other servers are started as their guides say. Prism and
Mockoon answer from one example, json-server keeps records in a JSON file, and Fastify keeps them in a Map. None of them
checks credentials.

${markdown(rows)}

## What paysim is worse at

${worse(rows)}

## What a figure is made of

- **A test** makes an account with a virtual clock, creates a payment with a QR code, lets it succeed and waits for its webhook,
  with the library, in one process. The create and the webhook are exchanges over HTTP; control calls of the same process need no
  connection. It was to take 3 ms of processor time, and one of tests 200 to 600 takes 2.8 to 2.9. By leaving out one part at a
  time: a twelfth goes to drawing the code, half of that to the stream which compresses its image; a twenty-fifth to the call
  sites of errors, which also show a forgotten \`await\`; a hundredth each to the log of requests and to what the overview
  notes. The compiler of V8, on other threads, takes a quarter, and V8 still interprets much of what the first tests run. The
  second account of a merchant is made when it is first called. Next: the groups of control calls made when they are first used.
- **The first test** was to take 60 ms, and takes less. Most of its time goes to reading the code of the calls and of the control
  surface, and to running it before V8 has compiled it; a tenth to a fifth goes to the package that draws the code. Next: parts
  of the control surface that are loaded when they are called.
- **A run of the shipped scenarios** was to take 1.0 s. A tenth goes to loading modules, a twentieth to drawing QR codes, and a
  thirtieth to reading YAML: positions in a file are found only when somebody asks for them. One file starts an application,
  which is a process of Node's own; with the requests to it and from it, a quarter of the processor time. The rest are 660
  calls, of which V8 has compiled little when they are over: a fifth goes to its compiler, on other threads. A quarter of the
  calls are the advance by 0 s after a step; to leave out those that find nothing to do, which are most, saved less than a
  fiftieth. To start a story takes 3 ms, the first one 20 ms. Next: less code that a run reads before its first story.
- **A GET** is read and answered without Node's streams (\`server/http/plain-connection.ts\`), which saves a third of its
  processor time. More than half of what is left is the system call that writes the answer to the socket, which the bare
  server needs too. The rest is host check, credentials, routes, faults, the time of the account and its due timers, a
  request id, the request log with the bodies of the last requests, metrics, and a line for the reader of \`--json\`; each of
  these takes a few hundredths. Next: one pass for the line and the log.
- **A GET of one of 100,000 payments** or more reads its record from disk, parses it and makes its JSON, unless it is among
  those that were asked for lately, of which 128 MB are kept as records and 128 MB as text. That takes about 40 µs. The bench
  asks for 32,000 payments in turn, which fit. Those take 31 µs, where one of 1,000 takes 17: they are found in the index of
  each layer and in two large Maps, and are seldom in a cache of the processor. Next: the answer from the stored line,
  without the record between them.
- **A page of payouts** has 20 payouts, 8 KB. A third of its time goes to writing the page to the socket, and a tenth to
  garbage collection. Most of the rest goes to finding its payouts, which are merged from the lists of all states and
  layers, and to joining their texts, which are made once for each payout. The signature of a cursor is made once if it comes
  back soon, as in the bench; otherwise it takes a tenth. Next: the payouts of a page as one text.
- **A create** also chooses a route and a rule, makes an id, payment instructions and timers, applies its events, and writes
  them as one line with a checksum. It takes several times as long as the bare server's work for a record. Its rate is
  limited by the processor, not by the disk: to be 0.65 times as fast as the bare server, it would have to take a third less. Of
  its time on the main thread, an eighth each goes to the decision, to reading the request, and to writing the answer to the
  socket; a twelfth each to applying the events, to the log of requests with their bodies, and to garbage collection; a
  fifteenth each to the line with its checksum, to the records of the next checkpoint, and to the calls that write and sync;
  and most of the rest to HTTP. No part stands out. Next: a line that is made of prepared parts, one event that creates a
  payment with its route and its action, so that it is copied once, and fewer objects that live until the next checkpoint.
- **A create with a QR code** also draws the code, with a library in JavaScript, and compresses its image with zlib: 6 to 7 times
  the 20 µs of code made for both. It sends the image in the answer.
- **A receipt** is taken out of its form and hashed while it arrives. Its image shares a write and a sync with those
  that wait, and its entry another sync. The hash takes 0.13 ms, and Busboy, which reads every form, about 0.3 ms.
  Node's parser of HTTP makes new buffers for each upload, and V8 collects the whole heap after a hundred or a few
  hundred of them, mostly on other threads: a seventh of the processor time. The bare server does the same with a heap
  that is almost empty. Next: to receive into buffers that are used again, which Node's server for HTTP cannot do.
- **Deliveries**: an attempt is an entry of the journal, which is synced before the request is sent, and its result is
  another one. In an advance, an endpoint receives one event at a time, so that what it sees repeats exactly: each waits for
  the answer to the one before, which is recorded while the next is on its way. The time includes the expiry of the
  payments. Of the processor time, a quarter goes to the entries, a quarter to HTTP, a seventh to checkpoints, a tenth to
  garbage collection, and a twentieth each to signatures and to the lines that \`--json\` prints. Next: an HTTP client that
  does less. A bare socket took 24 µs for a request and its answer; undici took 56 µs, and Node's client takes as long.
- **An advance** executes each timer, applies its events, and writes them to the journal; after every 16,384 entries, a
  checkpoint is written beside it, 128 records at a time. In a run of its own, minutes after the full one, the first took 1.86 s
  and the second 1.85. One advance uses one processor core, about 20 µs for each
  timer. An eighth each goes to the decision, most of it to find a payment among 100,000 in a Map and to make an id, to the
  line of the journal, and to garbage collection; a tenth each to the payment with its list and to checkpoints; a twelfth
  each to the timer that fired and to the event that is kept; and a twelfth to the lines that \`--json\` prints. Timers and
  payments that are in a checkpoint already, and no longer in memory, are read and parsed first: such a timer takes more than
  twice as long. Next: look once for what many timers need that are due one after another, and fewer objects for each
  timer that outlive a garbage collection.
- **An import** is parsed, checked entry by entry, and replayed. It lets other work go first every few milliseconds, but
  not while one large piece of the body is parsed, not while several large Maps grow at one entry (50 ms among 180,000
  payments), and not during a garbage collection. Next: parse it in a thread of its own, and Maps that grow in parts.
- **The first search** after a start was to answer in 0.5 s, as each later one does. It reads every payment once, for an index
  of its texts: about 1.6 s of processor time for 100,000, in slices between which other calls are answered. A fifth goes to
  parsing the records, and a sixth to garbage collection. Next: the texts in a file of their own beside the records.
- **The first page of a payment** after a start reads the whole journal once, to note which of its parts name which records:
  about 0.7 s of processor time for 100,000 payments. Next: these notes in a file of their own beside each part.
- **A start** reads 0.5 MB of code, and V8 compiles what it uses of it: on Node 20 at each start, from Node 22.1 on only at
  the first one. Most of the rest is Node's own: its modules for HTTP and cryptography. Next: less code that a start reads
  and does not use.
`,
  )
}

function markdown(rows) {
  const columns = COLUMNS.map(name => (name === '' ? ' ' : name))
  const line = each => `| ${each.join(' | ')} |`
  const alignment = columns.map((_, at) => (at === 0 ? '---' : '--:'))
  return [columns, alignment, ...rows.map(cellsOf)].map(line).join('\n')
}

/** Every line in favour of the other side, the worst first. */
const worse = rows =>
  ratiosOf(rows)
    .filter(({ fair }) => fair < 1)
    .sort((a, b) => a.fair - b.fair)
    .map(({ what, row: { ratio, busyRatio } }) => {
      const byProcessor = busyRatio > 0 ? ` (by CPU ${busyRatio.toFixed(2)})` : ''
      return `- ${what}: ${ratio.toFixed(2)}${byProcessor}`
    })
    .join('\n')

/** The lines with a ratio, by their whole names. `fair` and `best`, which is that of a round, are above 1 in favour of paysim. */
function ratiosOf(rows) {
  let about = ''
  return rows.flatMap(row => {
    const { name, unit, ratio, lowest = ratio, highest = ratio } = row
    // An indented line belongs to the one above it.
    const isOwn = !name.startsWith(' ')
    if (isOwn) about = name
    if (ratio === undefined) return []
    const what = isOwn ? name : `${about}: ${name.trim()}`
    const [fair, best] = unit.endsWith('/s') ? [ratio, highest] : [1 / ratio, 1 / lowest]
    return [{ row, what, fair, best }]
  })
}
