import { isDeepStrictEqual } from 'node:util'
import { apply } from '../../domain/apply.ts'
import type { Entry } from '../../domain/events.ts'
import { KINDS } from '../../domain/stored-state.ts'
import { MutableWorld, type World } from '../../domain/world.ts'
import { Account } from '../account/account.ts'
import { accountsOf } from '../account/open-runtime.ts'
import { readLine } from '../journal/journal-format.ts'
import type { RealTime } from '../time/real-time.ts'
import type { LossAccepted } from './accept-loss.ts'
import type { ImageStore } from './image-store.ts'
import type { Registry } from './registry.ts'
import { LIST } from './seal.ts'
import type { AccountStore, Store } from './store.ts'
import { DamagedError, StartError, UnavailableError } from './store-errors.ts'

/** How much was read from a store. */
export interface StoreTotals {
  merchants: number
  accounts: number
  payments: number
  payouts: number
  entries: number
  images: number
}

const noTotals = (): StoreTotals => ({
  merchants: 0,
  accounts: 0,
  payments: 0,
  payouts: 0,
  entries: 0,
  images: 0,
})

function count(totals: StoreTotals, { payments, payouts }: World, entries: number): void {
  totals.accounts++
  totals.payments += payments.size
  totals.payouts += payouts.size
  totals.entries += entries
}

/** A server holds an account. */
class StoreInUseError extends StartError {}

/** Something that is not consistent. */
export interface StoreProblem {
  readonly account: string
  readonly message: string
}

/**
 * Reads everything: each entry with its checksum, each image with its digest. The state of an account must be the one
 * that its entries make.
 */
export async function checkStore(
  store: Store,
  time: RealTime,
  /** What the store has said since the last call: whatever a start would pass over. */
  said: () => readonly string[] = () => [],
): Promise<{ totals: StoreTotals; problems: StoreProblem[]; unread: string[] }> {
  const totals = noTotals()
  const problems: StoreProblem[] = []
  const unread: string[] = []
  const note = (account: string) => problems.push(...said().map(message => ({ account, message })))
  const registry = await store.openRegistry().catch(cause => {
    note(LIST)
    if (!(cause instanceof StartError) || cause.exitCode !== 1) throw cause
    problems.push({ account: LIST, message: cause.message })
  })
  if (!registry)
    return { totals, problems, unread: ['every account, because the list of merchants cannot be read'] }
  note(LIST)
  try {
    totals.merchants = registry.merchants.length
    for (const id of accountsIn(registry))
      try {
        const { account, kept } = await openQuietly(store, id, seedIn(registry, id), time)
        try {
          note(id)
          if (kept.journal.keptFrom > 1)
            unread.push(`${id}: the entries before ${kept.journal.keptFrom}, which were removed`)
          problems.push(
            ...(await checkAccount(account, kept, totals)).map(message => ({ account: id, message })),
          )
        } finally {
          await account.close()
        }
      } catch (cause) {
        const isProblem = cause instanceof StartError || cause instanceof DamagedError
        if (!isProblem || cause instanceof StoreInUseError) throw cause
        note(id)
        problems.push({ account: id, message: cause.message })
        unread.push(`${id}: the rest of it`)
      }
  } finally {
    await registry.close()
  }
  return { totals, problems, unread }
}

async function checkAccount(
  { world, journal }: Account,
  { images }: AccountStore,
  totals: StoreTotals,
): Promise<string[]> {
  const { keptFrom } = journal
  const replayed = new MutableWorld()
  const digests = new Set<string>()
  let last = keptFrom - 1
  for await (const line of journal.lines()) {
    const entry = readLine(line)
    if (entry.seq !== ++last) return [`entry ${last} is missing: the next one is ${entry.seq}`]
    // Without the earlier entries, the correct state is unknown.
    if (keptFrom === 1) apply(replayed, entry)
    for (const digest of digestsOf(entry)) digests.add(digest)
  }
  count(totals, world, last - keptFrom + 1)
  const problems: string[] = []
  if (last !== world.seq)
    problems.push(`there are entries up to ${last}, but its state is that of ${world.seq}`)
  else if (keptFrom === 1) problems.push(...differences(replayed, world))
  for (const digest of digests)
    if (await images.get(digest)) totals.images++
    else problems.push(`the image ${digest} is missing or damaged`)
  return problems
}

/** Where a checkpoint differs from the entries. */
function differences(replayed: MutableWorld, world: World): string[] {
  const problems: string[] = []
  const kept = world as MutableWorld
  for (const kind of KINDS) {
    const [right, found] = [replayed.table(kind), kept.table(kind)]
    if (right.size !== found.size)
      problems.push(`its checkpoint has ${found.size} ${kind}, but its entries make ${right.size}`)
    else
      for (const [id, record] of right)
        if (!isDeepStrictEqual(found.get(id), record)) {
          problems.push(`its checkpoint has another version of ${id} than its entries`)
          break
        }
  }
  return problems
}

/** An account after its loss was accepted, or the list of merchants. */
export interface LossReport extends LossAccepted {
  readonly totals: StoreTotals
}

/** Continues with what is whole of an account, or of the list of merchants. */
export async function acceptLossIn(store: Store, name: string, time: RealTime): Promise<LossReport> {
  if (!store.acceptLoss)
    throw new StartError(
      `${store.url} is a database, which keeps the entries of an account together: restore it from a backup by its own means. Nothing was changed`,
      2,
    )
  const isList = name === LIST
  const list = isList ? await store.acceptLoss(name) : undefined
  const registry = await store.openRegistry()
  const totals = noTotals()
  try {
    totals.merchants = registry.merchants.length
    if (list) return { ...list, totals }
    if (!accountsIn(registry).includes(name))
      throw new StartError(
        `there is no account ${name} in ${store.url}: it has ${accountsIn(registry).join(', ')}. Nothing was changed`,
        2,
      )
    const accepted = await store.acceptLoss(name)
    const { account } = await openQuietly(store, name, seedIn(registry, name), time)
    count(totals, account.world, accepted.last)
    await account.close()
    return { ...accepted, totals }
  } finally {
    await registry.close()
  }
}

/**
 * Copies everything to another, empty store. The list of merchants is written last, so that nothing takes
 * effect before everything is there.
 */
export async function copyStore(from: Store, to: Store, time: RealTime): Promise<StoreTotals> {
  const totals = noTotals()
  const source = await from.openRegistry()
  const target = await to.openRegistry().catch(async cause => {
    await source.close()
    throw cause
  })
  try {
    const [there] = target.merchants
    if (there)
      throw new StartError(`${to.url} is not empty: it has the merchant ${there.id}. Nothing was copied`, 2)
    const ids = accountsIn(source)
    await to.announceChange(ids)
    for (const id of ids) await copyAccount(from, to, id, seedIn(source, id), time, totals)
    await to.makeSafe(ids)
    await target.adopt(source.list)
    await to.endChange(ids)
    totals.merchants = source.merchants.length
  } finally {
    await source.close()
    await target.close()
  }
  return totals
}

async function copyAccount(
  from: Store,
  to: Store,
  id: string,
  seed: string,
  time: RealTime,
  totals: StoreTotals,
): Promise<void> {
  const { account, kept } = await openQuietly(from, id, seed, time)
  try {
    const { journal, world } = account
    if (journal.keptFrom > 1)
      throw new StartError(
        `the entries before ${journal.keptFrom} of ${id} were removed by serve --history, and a copy needs all of them`,
      )
    const entries: Entry[] = []
    for await (const line of journal.lines()) entries.push(readLine(line))
    const copy = await openQuietly(to, id, seed, time)
    let isCopied = false
    try {
      totals.images += await copyImages(entries, kept.images, copy.kept.images, id)
      await copy.kept.journal.replace(entries, account.seed)
      isCopied = true
    } finally {
      await copy.account.close(isCopied ? account.standing : undefined)
    }
    count(totals, world, entries.length)
  } finally {
    await account.close()
  }
}

async function copyImages(
  entries: readonly Entry[],
  from: ImageStore,
  to: ImageStore,
  account: string,
): Promise<number> {
  const digests = new Set(entries.flatMap(digestsOf))
  for (const digest of digests) {
    const bytes = await from.get(digest)
    if (!bytes) throw new StartError(`the image ${digest} of ${account} is missing or damaged`)
    await to.put(digest, [bytes])
  }
  return digests.size
}

const digestsOf = ({ events }: Entry) => events.flatMap(event => ('digest' in event ? [event.digest] : []))

const accountsIn = ({ merchants }: Registry) => merchants.flatMap(({ id }) => accountsOf(id))

function seedIn(registry: Registry, id: string): string {
  const [merchant = '', environment] = id.split('.')
  return registry.get(merchant).accounts[environment === 'live' ? 'live' : 'test'].seed
}

/** An account whose timers do not fire, and whose webhooks are not sent. */
async function openQuietly(store: Store, id: string, seed: string, time: RealTime) {
  const account = new Account({
    id,
    environment: id.endsWith('.live') ? 'live' : 'test',
    seed,
    time,
    secret: () => {
      throw new Error(`${id} is only read`)
    },
    outerContext: () => {
      throw new Error(`${id} is only read`)
    },
  })
  const kept = await store.openAccount(account).catch(cause => {
    if (!(cause instanceof UnavailableError)) throw cause
    const why = cause.cause instanceof Error ? cause.cause.message : cause.message
    throw new StoreInUseError(`${id} cannot be read now: ${why}; stop every server that uses ${store.url}`)
  })
  if (kept.journal.seed !== undefined) account.reseed(kept.journal.seed)
  account.open(kept.journal, 0, kept.checkpoints)
  return { account, kept }
}
