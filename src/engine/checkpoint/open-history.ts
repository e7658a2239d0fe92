import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Account } from '../account.ts'
import { FileJournal } from '../file-journal.ts'
import type { HistoryKept } from '../journal-segments.ts'
import { Checkpoints } from './checkpoints.ts'
import { ENTRIES_A_CHECKPOINT, SEGMENT_BYTES } from './history-sizes.ts'

interface HistorySettings {
  readonly sync: boolean
  readonly warn: (message: string) => void
  readonly every?: number
  readonly segmentBytes?: number
  /** Without it, the entries that a checkpoint has are kept forever. */
  readonly history?: HistoryKept | undefined
}

/** Reads an account's last checkpoint, then the entries of its journal after it. */
export async function openHistory(
  account: Account,
  folder: string,
  { sync, warn, every = ENTRIES_A_CHECKPOINT, segmentBytes = SEGMENT_BYTES, history }: HistorySettings,
) {
  let opened: FileJournal | undefined
  let checkpoints: Checkpoints | undefined
  const journal: FileJournal = await FileJournal.open(join(folder, 'journal.jsonl'), {
    sync,
    segmentBytes,
    history,
    warn,
    onEdition: async past => {
      checkpoints = await Checkpoints.open({
        folder: () => opened?.folder ?? past,
        every,
        hashSeed: crc32(account.seed),
        durable: seq => opened?.durable(seq),
        onWritten: async seq => {
          await opened?.cut()
          await opened?.trim(seq)
        },
        warn,
      })
      account.continueFrom(checkpoints.world())
      return checkpoints.seq
    },
    onEntry: entry => {
      account.replayed(entry)
      return checkpoints?.noteEntry()
    },
    onFailure: account.stall,
  }).catch(async cause => {
    await checkpoints?.close()
    throw cause
  })
  opened = journal
  try {
    await checkpoints?.sweep()
  } catch (cause) {
    await checkpoints?.close()
    await journal.close()
    throw cause
  }
  // A long file is not read again at the next start.
  if (journal.isLarge) void checkpoints?.begin()
  return { journal, checkpoints }
}
