import { hashOf } from '../checkpoint/layer-index.ts'
import type { Reading } from '../time/real-time.ts'
import { inSlices } from '../time/scheduling.ts'
import type { Ask } from './database.ts'
import { OVERDUE_MS } from './lease.ts'

/** A process that answers for its merchants, and where it is reached. */
export interface Peer {
  readonly id: string
  readonly address: string
}

/** How long the list of processes must be the same before a merchant moves because of it. */
const STABLE_MS = 5000
/** How long a merchant stays after it was taken, even if it belongs to another process. */
const STAYS_MS = 10_000
/** How long a merchant that was created here, but belongs elsewhere, stays after its last call. */
const QUIET_MS = 60_000
/** How long a merchant stays after it could not be moved. */
const AGAIN_MS = 30_000
/** For each look, about once a second. */
const MOST_MOVED = 8
const MOST_LOOKED_AT = 100
const AT_ONCE = 200

export async function readPeers(ask: Ask): Promise<readonly Peer[]> {
  const { rows } = await ask<Peer>(
    `SELECT id, address FROM processes
     WHERE NOT ended AND NOT leaving AND address IS NOT NULL AND renewed_at > clock_timestamp() - $1 * interval '1 millisecond'
     ORDER BY address, id`,
    [OVERDUE_MS],
  )
  return rows
}

/**
 * The process to which a merchant belongs, by rendezvous hashing: when a process starts or stops, only its own
 * merchants move. By address, so that a restarted process gets its merchants back.
 */
export function homeOf(merchant: string, peers: readonly Peer[]): Peer | undefined {
  let home: Peer | undefined
  let most = -1
  for (const peer of peers) {
    const weight = hashOf(`${merchant} ${peer.address}`, 0)
    if (weight <= most) continue
    most = weight
    home = peer
  }
  return home
}

/** A merchant that this process holds, by its monotonic clock. */
export interface HoldingTimes {
  readonly takenAt: number
  /** It belonged to another process when this one took it: its caller is likely to continue here. */
  readonly isGuest: boolean
  calledAt: number
}

interface SpreadOptions {
  readonly ask: Ask
  readonly monotonic: Reading
  /** The number of this process. */
  readonly self: () => string
  readonly held: ReadonlyMap<string, HoldingTimes>
  /** Lets another process take it; false if that is not possible now. */
  readonly give: (merchant: string) => Promise<boolean>
}

/**
 * Gives merchants that belong to another process to it, a few at a time. All processes see the same list, and none
 * moves anything while it changes; so a merchant moves once, and not back and forth.
 */
export class Spread {
  #peers: readonly Peer[] = []
  #changedAt = 0
  /** Whether everything held before the list changed has been checked. */
  #isSorted = false
  /** Merchants that belong to others, and how long each stays. */
  readonly #misplaced = new Map<string, number>()
  #looking = false

  constructor(private readonly options: SpreadOptions) {}

  /** Call it when this process takes a merchant. */
  taken(merchant: string): void {
    if (this.#isSorted) this.#sort(merchant)
  }

  /** Called about every second. It costs the same, however many merchants there are. */
  async look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const peers = await readPeers(this.options.ask)
      const now = this.options.monotonic()
      if (!isSame(peers, this.#peers)) {
        this.#changedAt = now
        this.#isSorted = false
        this.#misplaced.clear()
      }
      // A process whose lease ran out has another number at the same address.
      this.#peers = peers
      const isOneOfThem = peers.some(({ id }) => id === this.options.self())
      if (isOneOfThem && now - this.#changedAt >= STABLE_MS) await this.#move()
    } finally {
      this.#looking = false
    }
  }

  #sort(merchant: string): void {
    if (!this.#isAtHome(merchant)) this.#misplaced.set(merchant, 0)
  }

  #isAtHome(merchant: string): boolean {
    return homeOf(merchant, this.#peers)?.id === this.options.self()
  }

  async #move(): Promise<void> {
    const { held, give, monotonic } = this.options
    if (!this.#isSorted) await inSlices(held.keys(), AT_ONCE, merchant => this.#sort(merchant))
    this.#isSorted = true
    let moved = 0
    for (const [merchant, until] of first(this.#misplaced, MOST_LOOKED_AT)) {
      if (moved === MOST_MOVED) return
      // Moves the merchant to the end of the queue.
      this.#misplaced.delete(merchant)
      const state = held.get(merchant)
      if (!state || this.#isAtHome(merchant)) continue
      const mayMove = monotonic() >= until && this.#mayMove(state)
      if (mayMove && (await give(merchant))) moved++
      else this.#misplaced.set(merchant, mayMove ? monotonic() + AGAIN_MS : until)
    }
  }

  #mayMove({ takenAt, calledAt, isGuest }: HoldingTimes): boolean {
    const now = this.options.monotonic()
    const hasMoreToCome = isGuest && now - calledAt < QUIET_MS
    return now - takenAt >= STAYS_MS && !hasMoreToCome
  }
}

const isSame = (some: readonly Peer[], others: readonly Peer[]) =>
  some.length === others.length && some.every(({ address }, nth) => address === others[nth]?.address)

function first<K, V>(map: ReadonlyMap<K, V>, most: number): [K, V][] {
  const found: [K, V][] = []
  for (const entry of map) if (found.push(entry) === most) break
  return found
}
