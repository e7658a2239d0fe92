// The table of docs/reliability.md, from what the parts of the torture counted.
import { writeFileSync } from 'node:fs'

const BEGIN = 'What paysim does when everything around it fails, as measured by `npm run torture`.'

/** Thousands with commas. */
const shown = count => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

/**
 * Each row: what was done, how often, and what was lost. A part that lost something fails, and then no table is
 * written.
 */
function rowsOf(parts) {
  const count = (part, what) => parts[part]?.counts[what] ?? 0
  const list = (part, prefix) =>
    Object.entries(parts[part]?.counts ?? {})
      .filter(([what]) => what.startsWith(prefix))
      .map(([what, times]) => `${shown(times)} in ${what.slice(prefix.length)}`)
      .join(', ')
  return [
    [
      'kills',
      'kill -9 of `paysim serve`',
      `${shown(count('kills', 'kills'))} (${list('kills', 'kills: ')})`,
      `of ${shown(count('kills', 'answered payments'))} answered payments and ${shown(count('kills', 'changes of merchants'))} changes of merchants: nothing`,
    ],
    [
      'kills',
      'webhooks during these kills',
      shown(count('kills', 'deliveries')),
      'no event; no body changed',
    ],
    [
      'failing-calls',
      'disk errors injected',
      shown(count('failing-calls', 'failures')),
      `${shown(count('failing-calls', 'refused payments') + count('failing-calls', 'refused changes of merchants'))} calls were refused; nothing that was answered was lost, and nothing that was refused was done`,
    ],
    [
      'full-disk',
      'full disk, injected',
      shown(count('full-disk', 'failures')),
      `${shown(count('full-disk', 'refused payments') + count('full-disk', 'refused changes of merchants'))} calls were refused; nothing that was answered was lost, and nothing that was refused was done`,
    ],
    [
      'account-files',
      `bytes flipped in an account's files, of ${shown(count('account-files', 'bytes'))}`,
      shown(count('account-files', 'flips')),
      'no wrong state',
    ],
    ['account-files', 'cuts of these files', shown(count('account-files', 'cuts')), 'no wrong state'],
    [
      'merchants-file',
      `flips in the list of merchants, of ${shown(count('merchants-file', 'bytes'))} bytes`,
      shown(count('merchants-file', 'flips')),
      'no wrong state',
    ],
    ['merchants-file', 'cuts of that list', shown(count('merchants-file', 'cuts')), 'no wrong state'],
    ...['stop', 'kill'].map(end => [
      `losses-after-${end}`,
      `files deleted, cut and zeroed after a ${end === 'stop' ? 'clean stop' : 'kill'}, each file of a data directory`,
      ['delete', 'cut', 'zero'].map(how => shown(count(`losses-after-${end}`, how))).join(', '),
      `lost silently: 0; ids given twice: 0; ${shown(count(`losses-after-${end}`, 'same'))} had no effect${end === 'stop' ? '' : `, and ${shown(count('losses-after-kill', 'unknown after a kill'))} took the end of a file that only a clean stop would have noted`}`,
    ]),
    [
      'receivers',
      'deliveries to receivers that hang, drip, flood, redirect, reset or lie',
      shown(count('receivers', 'deliveries')),
      'no event; no body changed, and no other receiver waited',
    ],
    ['receivers', 'hours simulated meanwhile', shown(count('receivers', 'hours simulated')), 'nothing'],
    [
      'wall-clock',
      'moves of the wall clock, to 1976 and to the year 9999',
      shown(count('wall-clock', 'moves of the wall clock')),
      'no timer; no time went back',
    ],
    [
      'streams',
      `unread streams, during ${shown(count('streams', 'creates'))} creates`,
      shown(count('streams', 'readers')),
      `no entry: the streams ended and said so, and all ${shown(count('streams', 'entries that were missed'))} missed ones came later; at most 1 MiB waited for each`,
    ],
    [
      'cluster',
      'kill -9 of processes of a cluster on PostgreSQL',
      shown(count('cluster', 'kills')),
      `of ${shown(count('cluster', 'answered payments'))} answered payments nothing, none is there twice, no answer was out of date`,
    ],
    [
      'cluster',
      'clean stops of such a process, and pauses of one',
      `${shown(count('cluster', 'stop'))} and ${shown(count('cluster', 'pause'))}`,
      'the same',
    ],
    [
      'cluster',
      'connections to the database that were cut, silenced, half-closed',
      ['cut', 'silence', 'half-close'].map(what => shown(count('cluster', what))).join(', '),
      'the same',
    ],
    [
      'cluster',
      'restarts of PostgreSQL, fast and immediate',
      ['fast restart', 'immediate restart'].map(what => shown(count('cluster', what))).join(' and '),
      'the same',
    ],
    [
      'cluster',
      'times that PostgreSQL had no connection left, or its disk was full',
      ['no connections', 'full disk'].map(what => shown(count('cluster', what))).join(' and '),
      `the same; ${shown(count('cluster', 'calls refused'))} calls of the whole part were refused`,
    ],
    [
      'cluster',
      'webhooks during all of this',
      shown(count('cluster', 'deliveries')),
      'no event; no body changed',
    ],
    [
      'balancer',
      'clean stops behind nginx',
      shown(count('balancer', 'stops')),
      `of ${shown(count('balancer', 'calls during stops'))} calls, none failed: 0 violations`,
    ],
    [
      'balancer',
      'pauses behind nginx',
      shown(count('balancer', 'pauses')),
      `of ${shown(count('balancer', 'calls during pauses'))} calls, none that may be repeated failed or waited over 6 s (the longest: ${shown(count('balancer', 'longest wait in ms'))} ms): 0 violations`,
    ],
    [
      'fuzz',
      'damaged requests, bytes and files',
      shown(count('fuzz', 'inputs')),
      'nothing: no 5xx except 503, no exit, no hang',
    ],
    [
      'soak',
      `requests in ${shown(parts.soak?.seconds ?? 0)} s of mixed load (${shown(count('soak', 'requests a second'))} a second)`,
      shown(count('soak', 'requests')),
      `no 5xx; half in ${count('soak', 'p50 in ms')} ms, 99 % in ${count('soak', 'p99 in ms')} ms; ${shown(count('soak', 'deliveries'))} webhooks; memory ${count('soak', 'memory at the end, in MB')} MB with ${shown(count('soak', 'payments'))} payments, in use ${count('soak', 'memory grown, in MB')} MB more than after a fifth of the time; ${count('soak', 'handles grown')} more handles`,
    ],
  ].filter(([part]) => part in parts)
}

/** The text of the page; writes it if a path is given. */
export function writeTable({ parts, commit, seed, seconds, node, to }) {
  const rows = rowsOf(parts).map(
    ([part, what, times, lost]) => `| ${what} | ${times} | ${lost} | ${parts[part].seconds} |`,
  )
  const text = `# Reliability, measured

${BEGIN}
The run writes this page if every check passed: commit ${commit}, seed ${seed}, ${shown(seconds)} s in all parts, Node ${node}.

| what was done | how often | what was lost | seconds of that part |
|---|---|---|---|
${rows.join('\n')}

## What is checked

- **What was answered is kept.** After each kill, every payment that was answered is there with its id and its first
  answer, every success and receipt that was answered is there, and a retry with its key gets the first answer.
- **What was not answered is complete or absent.** There is one payment for each key, and one merchant for each id. An
  account is in the state before its reset or import, or in the state after it.
- **What was refused was not done.** While the disk fails, 503 says that nothing was changed, or that this is not
  known. The first is checked at once and after the next start.
- **Webhooks come at least once**, each with the same id and the same bytes, signed.
- **In a cluster, no answer is out of date.** A call that begins after an answer, at any process, shows what
  was answered. At the end, no entry is missing or duplicated, and \`store check\` finds nothing wrong.
- **Damage is found.** A damaged file gives the same state, or a message with its name. A cut removes only the entries
  that are no longer in the file, and a message says so. After a clean stop that holds for every cut and every missing
  file. After a kill, a journal that ends between two lines is as it was at an earlier moment, and only a checkpoint, a
  segment or a missing file may contradict it.
- **No id is given twice.** After each loss, and after a loss was accepted, new records have ids that were never given.

Kills come after a number of answers, or at a call that changes the disk: before it, after it, or in the middle of a
write. Half of them aim at the calls of a segment switch, a creation, a deletion, a reset or an import. For this, the
server is built with checkpoints every 48 entries or 40 KB, and segments of 24 KB. The soak, the receivers and the wall
clock use the package as it is.

## Repeat it

\`npm run check\` has a short form, and CI one of a few minutes. \`npm run torture\` takes 25 minutes
and then runs the fuzzer; \`npm run torture -- --store postgres\` takes as long for the cluster;
\`npm run torture -- --write\` writes this page. A failure prints the command that repeats its plan. Plans repeat exactly;
the order in which parallel requests are answered does not.
`
  if (to !== undefined) writeFileSync(to, text)
  return text
}
