/** A call, and when it began by the monotonic clock. */
export interface CallUnderWay {
  readonly startedAt: number
}

/** Which process holds an account, where several serve one store. Both accounts of a merchant are held by one process. */
export interface Holders {
  /** This process's name among them. */
  readonly node: string
  /** What the processes of a cluster show each other. */
  readonly secret: string
  /**
   * The address of the other process that holds the account; undefined if it is this one. If nobody holds it, it is that
   * of the process to which the account belongs, and if that is this one, it takes the account. Waits while another's
   * lease runs out, until the signal ends that.
   */
  remoteHolder(account: string, signal: AbortSignal): Promise<string | undefined>
  /** The same, but this process takes the account if nobody holds it, wherever it belongs. */
  hold(account: string, signal: AbortSignal): Promise<string | undefined>
  /** True if this process may answer the call. Then it holds the account until the call has ended. */
  beginCall(account: string, call: CallUnderWay): boolean
  endCall(account: string, call: CallUnderWay): void
  /** Whether this process may answer for the account without asking anybody: its lease has not run out. */
  mayAnswer(account: string): boolean
  /** True for the first call with this name in the whole cluster, within the time. */
  useOnce(what: string, forMs: number): Promise<boolean>
  readonly departure: Departure
  /** What this process reports about itself. */
  readonly counts: NodeCounts
  /** How many merchants this process holds. */
  readonly held: number
  nodes(): Promise<readonly NodeState[]>
  /** All merchants, in the order in which they were created, with the processes that hold them. */
  heldMerchants(query: HeldQuery): Promise<HeldMerchants>
  /** Tells the gateway what changes for it. */
  watch(listener: HoldingListener): void
}

/** How a process stops without leaving others in doubt about the calls that they handed to it. */
export interface Departure {
  /** Makes it quick for other processes to go on with the merchants of this one, which answers calls meanwhile. */
  prepare(): Promise<void>
  /** Nothing belongs to it any more. Others take over what it holds, unless calls are under way that do not end soon. */
  begin(): Promise<void>
  /** It has answered every call that it had begun. */
  answeredAll(): Promise<void>
  /** Whether the process at this address stops, or has just stopped, so that answers may still come from it. */
  isUnderWay(address: string): Promise<boolean>
  /** Whether the process at this address stops, and has answered every call that it had begun. Waits until that is known. */
  hasAnsweredAll(address: string, signal: AbortSignal): Promise<boolean>
}

export interface HoldingListener {
  /** This process does not hold the merchant any more; without a name, it may hold nothing any more. */
  readonly lost: (merchant?: string) => void
  /** Makes it quick for another process to go on with the merchant; without a name, with all of them. */
  readonly prepareToGive: (merchant?: string) => Promise<void>
  /** Whether the merchant is being created. */
  readonly isMaking: (merchant: string) => boolean
  /** Whether nothing of the merchant is under way, so that another process can go on with it. */
  readonly mayGive: (merchant: string) => boolean
  /** Another process goes on with the merchant when this resolves. */
  readonly give: (merchant: string) => Promise<void>
  /** A timer of the account is due, and nobody else serves it. */
  readonly due: (account: string) => void
}

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
