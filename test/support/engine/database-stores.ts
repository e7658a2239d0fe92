import { onTestFinished } from 'vitest'
import type { Account } from '../../../src/engine/account/account.ts'
import { DatabaseStore } from '../../../src/engine/postgres/database-store.ts'
import type { AccountStore } from '../../../src/engine/store/store.ts'
import { anAccountWithoutJournal } from './accounts.ts'

/** How many stores were opened on a database. */
const opened = new Map<string, number>()
const addresses = new WeakMap<DatabaseStore, string>()

export const addressOf = (store: DatabaseStore): string => addresses.get(store) ?? ''

/** A store as a separate process opens it, without its accounts. */
export async function openStore(
  url: string,
  { every, monotonic = () => performance.now() }: { every?: number; monotonic?: () => number } = {},
): Promise<DatabaseStore> {
  const often = every === undefined ? {} : { every }
  const time = { wall: Date.now, monotonic }
  const store = await DatabaseStore.claim(url, { sync: true, time, warn: () => {}, ...often })
  onTestFinished(() => store.release())
  // Each run assigns the same merchants to the same processes.
  const nth = (opened.get(url) ?? 0) + 1
  opened.set(url, nth)
  const listen = `http://process-${nth}.test`
  addresses.set(store, listen)
  await store.announce({ listen })
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
