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
over the rounds. *CPU* is the processor time of one request, of paysim and of the other side, and *by CPU* is the ratio of
the two, which other work hardly changes. A ratio of rates above 1 is in favour of paysim, and of times or memory below 1.
Compare ratios, not figures, with those of another machine.

All servers answer on one port of the same machine, to 32 connections that send the next request when they have the
answer. paysim runs as \`serve --json\`, with a reader of its lines, and stores every payment in a data directory: its
answer to a create comes when the payment is synced to disk. *Bare node:http* does the least that gives the same answers:
it looks a record up in a Map, or keeps one there. *With group commit*, it also writes each record to a file and shares one
\`fdatasync\` among the requests that wait. The others are as their guides start them; Prism and Mockoon answer from one
example, json-server keeps records in a JSON file, and Fastify in a Map. They check no credentials.

${markdown(rows)}

## What paysim is worse at

${worse(rows)}

## What a figure is made of

- **A GET** costs more than the bare server's: host check, credentials, routes, faults, the time of the account and its
  due timers, a request id, the request log with the bodies of the last requests, metrics, and a line for the reader of
  \`--json\`.
- **A GET of one of 100,000 payments** or more reads its record from disk and parses it, because only the last 8,192 of an
  account are kept as text. That takes about 60 µs.
- **A page of payouts** has 25 of them, 10 KB. About a third of its time is writing that to the socket, a tenth is garbage
  collection, because the bodies of the last 1,000 requests are kept, and a fifteenth the signature of the cursor.
- **A create** also decides by catalogue and rules, makes an id, an instrument and timers, applies its events, and writes
  them as one line with a checksum. It costs several times what the bare server does for each record. Its rate is limited
  by the processor, not by the disk. Of its time, about a sixth hands the write and the sync to the system, a sixth makes
  the line and updates the indexes, a tenth each goes to the decision, to the answer's way into the socket and to garbage
  collection, and most of the rest to HTTP. The next thing to try is one call for the write and the sync (\`O_DSYNC\`).
- **An advance** decides each timer, applies its events, and writes them to the journal; after every 16,384 entries, a
  checkpoint is written beside it. One advance has one processor.
- **An import** is parsed, checked entry by entry, and replayed. It lets others go first every few milliseconds, but not
  while one large piece of the body is parsed.
- **A start** reads and compiles 0.5 MB of code. From Node 22.1 on, compiled code is kept for the next start.
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
