import { onTestFinished } from 'vitest'
import type { Account } from '../../../src/engine/account.ts'
import { DatabaseStore } from '../../../src/engine/postgres/database-store.ts'
import type { AccountStore } from '../../../src/engine/store.ts'
import { anAccountWithoutJournal } from './accounts.ts'

const time = { wall: Date.now, monotonic: () => performance.now() }

/** A store as a process of its own opens it, apart from its accounts. */
export async function openStore(url: string, { every }: { every?: number } = {}): Promise<DatabaseStore> {
  const often = every === undefined ? {} : { every }
  const store = await DatabaseStore.claim(url, { sync: true, time, warn: () => {}, ...often })
  onTestFinished(() => store.release())
  await store.announce({ listen: `http://${store.holders.node}.test` })
  return store
}

export interface OpenedAccount extends AccountStore {
  readonly account: Account
}

export async function openAccount(store: DatabaseStore, id = 'acme.test'): Promise<OpenedAccount> {
  const account = anAccountWithoutJournal(undefined, id)
  const kept = await store.openAccount(account)
  account.open(kept.journal, 0, kept.checkpoints)
  onTestFinished(() => account.close())
  return { account, ...kept }
}
