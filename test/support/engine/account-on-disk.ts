import { openHistory } from '../../../src/engine/checkpoint/open-history.ts'
import type { HistoryKept } from '../../../src/engine/journal/journal-segments.ts'
import { anAccountWithoutJournal, createPayment } from './accounts.ts'

/** These sizes are so small that a few entries fill a checkpoint, and a few more fill a segment. */
const SMALL = { every: 4, segmentBytes: 3000 }

/** An account whose history is in this folder, opened as at a start. */
export async function accountOnDisk(folder: string, { history }: { history?: HistoryKept | undefined } = {}) {
  const warnings: string[] = []
  const account = anAccountWithoutJournal()
  const warn = (message: string) => void warnings.push(message)
  const { journal, checkpoints } = await openHistory(account, folder, {
    sync: false,
    warn,
    history,
    ...SMALL,
  })
  account.open(journal, 0, checkpoints)
  return { account, journal, checkpoints, warnings }
}

/** Creates payments, each of them safe on disk, and the checkpoints that they lead to. */
export async function fillWith(
  { account, journal, checkpoints }: Filled,
  payments: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let nth = 0; nth < payments; nth++) {
    ids.push(createPayment(account))
    await journal.durable(account.world.seq)
    await checkpoints?.idle()
  }
  return ids
}

type Filled = Awaited<ReturnType<typeof accountOnDisk>>
