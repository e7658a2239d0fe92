import { residentMegabytes } from './child.js'
import { recordName } from './names.js'
import { PAYMENTS, servePaysim } from './paysim.js'
import { inTurn, median } from './rounds.js'
import { makeStore } from './store.js'
import { shown } from './table.js'

const RESTARTS = 3

/**
 * Measures a start on many payments until one of them is shown, because an account is opened when it is first called, and
 * the memory that they use then.
 */
export async function measureRestart({ binary }, count, onEnd) {
  const full = await makeStore(binary, 'payments', count)
  onEnd(full.remove)
  const empty = await makeStore(binary, 'payments', 0)
  onEnd(empty.remove)
  const starts = await inTurn(
    { full: () => startOn(binary, full), empty: () => startOn(binary, empty) },
    RESTARTS,
  )
  const of = field => median(starts.full.map(start => start[field]))
  const more = field => of(field) - median(starts.empty.map(start => start[field]))
  const facts = [
    {
      name: `restart with ${shown(count)} payments, to the first answer`,
      unit: 'ms',
      ours: of('milliseconds'),
    },
    { name: '  a journal line of it', unit: 'µs', ours: (more('milliseconds') * 1000) / count },
  ]
  if (starts.full[0].megabytes === null) return facts
  const each = (more('megabytes') * 100_000) / count
  return [...facts, { name: '  memory of 100,000 payments (RSS after it)', unit: 'MB', ours: each }]
}

async function startOn(binary, { path, prefix }) {
  const startedAt = performance.now()
  const { url, authorization, pid, stop } = await servePaysim(binary, ['--data', path])
  const answer = await fetch(`${url}${PAYMENTS}/${recordName(prefix, 1)}`, { headers: { authorization } })
  await answer.text()
  const milliseconds = performance.now() - startedAt
  const megabytes = residentMegabytes(pid)
  await stop()
  return { milliseconds, megabytes }
}
