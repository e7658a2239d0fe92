import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Account } from '../account/account.ts'
import { FileJournal } from '../journal/file-journal.ts'
import type { FileJournalOptions } from '../journal/journal-file.ts'
import { Checkpoints, ENTRIES_A_CHECKPOINT, SEGMENT_BYTES } from './checkpoints.ts'

type HistorySettings = Omit<FileJournalOptions, 'onEdition' | 'onEntry' | 'onFailure'> & {
  readonly every?: number
  /** What is wrong with the checkpoint, if that is known already. */
  readonly damage?: string | undefined
}

/** Reads an account's last checkpoint, then the entries of its journal after it. */
export async function openHistory(
  account: Account,
  folder: string,
  { every = ENTRIES_A_CHECKPOINT, segmentBytes = SEGMENT_BYTES, damage, ...options }: HistorySettings,
) {
  const { warn, readOnly } = options
  let opened: FileJournal | undefined
  let checkpoints: Checkpoints | undefined
  const journal: FileJournal = await FileJournal.open(join(folder, 'journal.jsonl'), {
    ...options,
    segmentBytes,
    onEdition: async past => {
      checkpoints = await Checkpoints.open({
        folder: () => opened?.folder ?? past,
        every,
        hashSeed: crc32(account.seed),
        durable: async seq => {
          await options.beforeWrite?.()
          await opened?.durable(seq)
        },
        onWritten: async seq => {
          await opened?.cut()
          await opened?.trim(seq)
        },
        warn,
        damage,
      })
      account.continueFrom(checkpoints.world())
      return checkpoints.seq
    },
    onEntry: entry => {
      account.applyEntry(entry)
      return readOnly ? undefined : checkpoints?.noteEntry()
    },
    onFailure: account.stall,
  }).catch(async cause => {
    await checkpoints?.close()
    throw cause
  })
  opened = journal
  try {
    if (!readOnly) await checkpoints?.sweep()
  } catch (cause) {
    await checkpoints?.close()
    await journal.close()
    throw cause
  }
  // A long file is not read again at the next start.
  if (journal.isLarge && !readOnly) void checkpoints?.begin()
  return { journal, checkpoints }
}
