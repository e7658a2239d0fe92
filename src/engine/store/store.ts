import type { Account } from '../account/account.ts'
import type { Checkpoints } from '../checkpoint/checkpoints.ts'
import { type Journal, MemoryJournal } from '../journal/journal.ts'
import type { LossAccepted } from './accept-loss.ts'
import { MemoryChanges } from './change-log.ts'
import type { Holders } from './holders.ts'
import { type ImageStore, MemoryImages } from './image-store.ts'
import { Registry } from './registry.ts'
import type { StartError } from './store-errors.ts'

/** The stored parts of an account. */
export interface AccountStore {
  readonly journal: Journal
  readonly checkpoints: Checkpoints | undefined
  readonly images: ImageStore
  /** The time that the account had reached at the last stop, even if the wall clock was set back since. */
  readonly stoppedAt?: number | undefined
  /** How far the wall clock of the process that held it before may have come. */
  readonly wallMs?: number
}

/** Accounts that are as a clean stop left them. Others may have lost something, or have a timer that nobody knows. */
export interface KnownAccounts {
  /** How far the wall clock had come by then. */
  readonly sealedMs: number
  /** The wall time at which each must be open; null: only when it is called. */
  readonly wakeMs: ReadonlyMap<string, number | null>
}

export interface ServerFacts {
  /** The address that this very process listens on. */
  readonly listen: string
  /** Where other processes reach it, if that is another address. */
  readonly advertise?: string | undefined
  readonly [fact: string]: unknown
}

/** What all processes that serve one store must have in common. */
export interface SharedSetting {
  /** Its name in messages. */
  readonly name: string
  /** Undefined if this process takes the value of the others. */
  readonly given: string | undefined
  /** The value if there is none yet. */
  readonly otherwise: () => string
}

/** Where everything is kept. The engine knows no other difference between memory, files and a database. */
export interface Store {
  /** Its address, without credentials. */
  readonly url: string
  /** The data directory, if it is one. */
  readonly path?: string
  /** Without it, this process holds every account. */
  readonly holders?: Holders
  /**
   * Returns the value that holds for each setting. Throws if other processes have another one. Later, if others have
   * begun to serve with another one while this process was paused, it serves nothing any more, and is told why.
   */
  agree?(
    settings: readonly SharedSetting[],
    onRefused?: (error: StartError) => void,
  ): Promise<ReadonlyMap<string, string>>
  /** Whether an account is set up when it is opened, because nothing of it is kept before. */
  readonly setsUpLate?: true
  /** Called first. Removes what interrupted changes left behind. */
  openRegistry(): Promise<Registry>
  /** What is known of the listed accounts without opening them. Without it, nothing is. */
  known?(): Promise<KnownAccounts>
  /** Brings an account to the state that is kept, and returns where it continues. */
  openAccount(account: Account): Promise<AccountStore>
  /** The list is about to name these accounts, or not to name them any more. */
  announceChange(accounts: readonly string[]): Promise<void>
  /** Resolves when new accounts survive a power failure. */
  makeSafe(accounts: readonly string[]): Promise<void>
  /** The list names these accounts, or still does. */
  endChange(accounts: readonly string[]): Promise<void>
  /** The list does not name these accounts. */
  removeAccounts(accounts: readonly string[]): Promise<void>
  /**
   * Continues with what is whole of an account, or of the list of merchants, and keeps the rest aside. Without it, the
   * store does not lose a part of an account.
   */
  acceptLoss?(name: string): Promise<LossAccepted>
  /** Tells others how to reach the server. */
  announce(facts: ServerFacts): Promise<void>
  release(): Promise<void>
}

/** Keeps everything in memory, until the end. */
export class MemoryStore implements Store {
  readonly url = 'memory:'
  /** Most tests call one of the two accounts that their merchant has. */
  readonly setsUpLate = true

  openRegistry(): Promise<Registry> {
    return Registry.open(new MemoryChanges())
  }

  async openAccount(_: Account): Promise<AccountStore> {
    return { journal: new MemoryJournal(), checkpoints: undefined, images: new MemoryImages() }
  }

  async announceChange(): Promise<void> {}
  async makeSafe(): Promise<void> {}
  async endChange(): Promise<void> {}
  async removeAccounts(): Promise<void> {}
  async announce(): Promise<void> {}
  async release(): Promise<void> {}
}
