import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { COLUMNS, cellsOf } from './table.js'

const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

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

- **A GET** costs more than the bare server's: host check, credentials, routes, faults, the time of the account and its
  due timers, a request id, the request log with the bodies of the last requests, metrics, and a line for the reader of
  \`--json\`. About half of its time goes to writing the answer to the socket; each of those parts takes a few hundredths.
  Next: fewer headers, and one pass over those of the request.
- **A GET of one of 100,000 payments** or more reads its record from disk, parses it and makes its JSON, because only the
  last 8,192 of an account are kept as text. That takes about 30 µs. In a profile, the rest of the difference is in the
  writes to the socket, which take longer at a lower rate. Next: a larger limit for the texts.
- **A page of payouts** has 20 payouts, 8 KB. Its time goes to writing the page to the socket, to joining the texts, which
  are made once for each payout, and to signing the cursor; a later page also checks the cursor that it was given. Next: the
  payouts of a page as one text.
- **A create** also chooses a route and a rule, makes an id, payment instructions and timers, applies its events, and writes
  them as one line with a checksum. It takes several times as long as the bare server's work for a record. Its rate is
  limited by the processor, not by the disk. Of its time on the main thread, about a fifteenth each goes to the decision, to
  applying the events, to the line with its checksum, to the records of the next checkpoint, and to the calls that write and
  sync; a twelfth goes to garbage collection, an eighth to writing the answer to the socket, and most of the rest to HTTP.
  Next: a line that is made of prepared parts, and fewer objects that live until the next checkpoint.
- **A create with a QR code** also draws the code, which takes 20 µs, and sends its image in the answer. Next: fewer copies
  of the image on its way to the answer.
- **A receipt** is taken out of its form and hashed while it arrives. Its image shares a write and a sync with those that
  wait, and its entry another sync. The hash takes 0.15 ms. The buffers of uploads start a collection of the whole heap
  after every 100, on other threads: 0.65 of 2.2 ms of processor time. The bare server does the same with a heap that is
  almost empty. Next: fewer collections, with buffers that are used again.
- **Deliveries**: an attempt is an entry of the journal, which is synced before the request is sent, and its result is
  another one. In an advance, an endpoint receives one event at a time, so that what it sees repeats exactly: each waits for
  the answer to the one before, and the time includes the expiry of the payments. Next: send an event while the result of
  the one before is recorded.
- **An advance** executes each timer, applies its events, and writes them to the journal; after every 16,384 entries, a
  checkpoint is written beside it. One advance uses one processor core, about 55 µs for each timer. Next: one
  entry for several timers that are due at one time.
- **An import** is parsed, checked entry by entry, and replayed. It lets other work go first every few milliseconds, but
  not while one large piece of the body is parsed, and not during a garbage collection, which takes longer the more has been
  read. Next: parse it in a thread of its own.
- **A start** reads and compiles 0.5 MB of code. From Node 22.1 on, the compiled code is kept for the next start. Next,
  for Node 20: a code cache made when the package is built. A prototype was ready 18% sooner, and \`payments get\` took 5% less.
`,
  )
}

function markdown(rows) {
  const columns = COLUMNS.map(name => (name === '' ? ' ' : name))
  const cells = rows.map(row => cellsOf(row).map(cell => cell.trim()))
  const line = each => `| ${each.join(' | ')} |`
  return [line(columns), line(columns.map((_, at) => (at === 0 ? '---' : '--:'))), ...cells.map(line)].join(
    '\n',
  )
}

/** Every line in favour of the other side, the worst first. */
function worse(rows) {
  let about = ''
  const losses = rows.flatMap(({ name, ratio, unit, busyRatio }) => {
    // An indented line belongs to the one above it.
    const isOwn = !name.startsWith(' ')
    if (isOwn) about = name
    if (ratio === undefined) return []
    const fair = unit.endsWith('/s') ? ratio : 1 / ratio
    const byProcessor = !(busyRatio > 0) ? '' : ` (by CPU ${busyRatio.toFixed(2)})`
    const what = isOwn ? name : `${about}: ${name.trim()}`
    return fair < 1 ? [{ fair, text: `- ${what}: ${ratio.toFixed(2)}${byProcessor}` }] : []
  })
  return losses
    .sort((a, b) => a.fair - b.fair)
    .map(({ text }) => text)
    .join('\n')
}
