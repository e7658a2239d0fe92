import { peakMemory, startBare } from './child.js'
import { merchantAt } from './merchant.js'
import { compare, inTurn } from './rounds.js'
import { shown } from './table.js'

/** Memory does not vary much, and a million payouts take long. */
const ROUNDS = 1
const LIST = ['payouts', 'list', '--all', '-o', 'jsonl']

/** The peak memory of `payouts list --all` for many payouts, compared with a few. */
export async function measureListMemory({ binary, listed: { few, many } }, onEnd) {
  const peakOf = async count => {
    const server = await startBare('payouts', { count })
    onEnd(server.stop)
    const { where, leave } = await merchantAt(server.url)
    onEnd(leave)
    const { megabytes, lines } = await peakMemory([binary, ...LIST], where)
    if (lines !== count) throw new Error(`payouts list --all printed ${lines} of ${count} payouts`)
    return { measured: megabytes, busy: Number.NaN }
  }
  const times = await inTurn({ many: () => peakOf(many), few: () => peakOf(few) }, ROUNDS)
  return [
    compare(`payouts list --all, ${shown(many)} to ${shown(few)}: peak memory`, {
      ours: times.many,
      other: times.few,
      unit: 'MB',
      atMost: 1.3,
    }),
  ]
}
