/** The processes that serve one store, as any of them knows them. */

/** What a process reports about itself: what it has done since it started. */
export interface NodeCounts {
  /** Merchants that another process held before. */
  takeovers: number
  /** Merchants that it released, because they belong to another process. */
  moves: number
  /** Calls that other processes answered. */
  forwarded: number
  /** How long its last renewal took: its way to the store and back, and whatever kept it busy. */
  lagMs: number
}

export interface NodeState extends Readonly<NodeCounts> {
  readonly node: string
  /** Where the others reach it; null until it serves. */
  readonly address: string | null
  /** How many merchants it holds. */
  readonly merchants: number
  /** Whether its lease is good. If not, the next process that gets a call takes over what it holds. */
  readonly serving: boolean
  /** How long ago it renewed its lease. */
  readonly renewedMsAgo: number
}

export interface HeldMerchant {
  readonly merchant: string
  /** The process that holds it; null if none does. */
  readonly node: string | null
  /** How often another process took it over. */
  readonly takeovers: number
}

export interface HeldMerchants {
  readonly rows: readonly HeldMerchant[]
  readonly total: number
}

/** Part of the list of merchants. */
export interface HeldQuery {
  /** What a merchant's id must contain. */
  readonly text: string
  readonly offset: number
  readonly limit: number
}
