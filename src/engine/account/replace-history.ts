import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import type { ResetBody } from '../../contract/control/requests.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import type { WebhookEndpoint } from '../../domain/model.ts'
import type { World } from '../../domain/world.ts'
import { MemoryJournal } from '../journal/journal.ts'
import type { MerchantRecord } from '../store/merchant-record.ts'
import { setUp } from '../store/new-merchant.ts'
import { inSlices } from '../time/scheduling.ts'
import type { Account } from './account.ts'
import { secretOf, unsealed } from './account-secret.ts'
import { drawnAnew, nextDraw, randomSeed } from './ids.ts'
import { type AccountRuntime, type GatewaySettings, newAccount } from './open-runtime.ts'

/** Entries that are replayed between two looks at the clock. */
const AT_ONCE = 8

/** An exported account. */
export interface Archive {
  readonly seed: string
  readonly entries: readonly Entry[]
  readonly images: ReadonlyMap<string, Buffer>
}

/** Empties an account, and sets it up as it was created, except for the settings to keep. */
export async function resetAccount(
  settings: GatewaySettings,
  runtime: AccountRuntime,
  merchant: () => MerchantRecord,
  keep: NonNullable<ResetBody['keep']>,
): Promise<void> {
  const { account } = runtime
  const { seeded, accounts } = merchant()
  // The new seed makes old ids, cursors and page addresses invalid.
  const seed = seeded ? accounts[account.environment].seed : randomSeed()
  const draft = draftOf(settings, account, merchant, seed)
  draft.start(new MemoryJournal())
  const entries: Entry[] = []
  draft.onEntry(entry => entries.push(entry))
  await setUp(draft, merchant())
  const events = keptSettings(account.world, draft.world, new Set(keep))
  const { seq, at } = draft.world
  if (events.length > 0) entries.push({ v: JOURNAL_VERSION, seq: seq + 1, at, by: 'operator', events })
  await draft.close()
  await account.rewrite(entries, seed)
  account.announce(entries)
}

/** The events that bring settings of an account to one that was just set up. Endpoints keep their ids and secrets. */
function keptSettings(before: World, fresh: World, keep: ReadonlySet<string>): DomainEvent[] {
  const events: DomainEvent[] = []
  if (keep.has('endpoints')) {
    for (const endpoint of fresh.endpoints.keys()) events.push({ type: 'EndpointRemoved', endpoint })
    for (const endpoint of before.endpoints.values()) events.push(...addedAgain(endpoint))
  }
  if (keep.has('rules'))
    events.push({ type: 'RulesReplaced', rules: before.rules?.map(({ data }) => data) ?? null })
  if (keep.has('catalogue')) {
    if (before.catalogue) events.push({ type: 'CatalogueReplaced', catalogue: before.catalogue.data })
    for (const [provider, healthy] of before.health)
      events.push({ type: 'ProviderHealthSet', provider, healthy })
  }
  if (keep.has('faults') && before.faults.data.length > 0)
    events.push({ type: 'FaultsReplaced', faults: before.faults.data })
  return events
}

function addedAgain({ id, url, events, secrets, disabled }: WebhookEndpoint): DomainEvent[] {
  const [newest] = secrets
  if (!newest) return []
  return [
    { type: 'EndpointAdded', endpoint: id, url, events, secret: newest.secret },
    ...(secrets.length > 1 ? [{ type: 'EndpointSecretsSet', endpoint: id, secrets } as const] : []),
    ...(disabled ? [{ type: 'EndpointDisabled', endpoint: id } as const] : []),
  ]
}

/** Replaces an account by an exported one, with its endpoints or without. Throws if the archive is not consistent. */
export async function adoptArchive(
  settings: GatewaySettings,
  { account, images: store }: AccountRuntime,
  merchant: () => MerchantRecord,
  { seed, entries: given, images }: Archive,
  keepEndpoints: boolean,
): Promise<void> {
  const secret = secretOf(merchant().accounts[account.environment])
  const entries = given.map(entry => unsealed(entry, secret))
  // First replays the history in memory, including everything due, to find errors before anything changes.
  const draft = draftOf(settings, account, merchant, seed)
  await inSlices(entries, AT_ONCE, draft.applyEntry)
  draft.start(new MemoryJournal())
  if (!keepEndpoints) entries.push(...withoutEndpoints(draft))
  await draft.catchUp()
  await draft.close()
  for (const [digest, bytes] of images) await store.put(digest, [bytes])
  // The archive may be older than what the account has given since: its next ids must be others.
  await account.rewrite(entries, drawnAnew(seed, nextDraw(account.seed, account.world.moves)))
}

/** The entries that remove all endpoints, so that nothing of a history is sent to where it once went. */
function withoutEndpoints(draft: Account): Entry[] {
  const entries: Entry[] = []
  const stop = draft.onEntry(entry => entries.push(entry))
  for (const endpoint of [...draft.world.endpoints.keys()])
    draft.execute({ type: 'RemoveEndpoint', endpoint }, 'operator')
  stop()
  return entries
}

/** A temporary account that is set up like this one, with a journal in memory. */
const draftOf = (
  settings: GatewaySettings,
  { environment }: Account,
  merchant: () => MerchantRecord,
  seed: string,
) => newAccount(settings, merchant, environment, seed).account
