/** What happened in an account, as the control surface tells it. */

export interface EndpointRecord {
  readonly id: string
  readonly url: string
  /** Null for every event that is on by default. */
  readonly events: readonly string[] | null
  readonly secret: string
  readonly disabled: boolean
  readonly created_at: string
}

export interface EventRecord {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: 'test' | 'live'
  readonly data: Readonly<Record<string, unknown>>
}

export interface DeliveryRecord {
  readonly id: string
  readonly event: string
  readonly event_type: string | null
  readonly endpoint: string
  readonly url: string
  readonly status: 'pending' | 'attempting' | 'delivered' | 'failed' | 'dropped'
  readonly next_attempt_at: string | null
  readonly created_at: string
  readonly attempts: readonly {
    readonly number: number
    readonly started_at: string
    readonly request: {
      readonly method: 'POST'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    } | null
    readonly response: {
      readonly at: string
      readonly status: number | null
      readonly error: string | null
      readonly retry_after_ms: number | null
      readonly body: string
    } | null
  }[]
}

/** One line of the account's journal: all that one decision made happen. */
export interface JournalEntry {
  readonly v: 1
  readonly seq: number
  readonly at: string
  readonly by: string
  readonly events: readonly { readonly type: string; readonly [member: string]: unknown }[]
}

export interface ProviderCallRecord {
  readonly at: string
  readonly call: 'start' | 'cancel' | 'submit_receipt'
  readonly payment: string
  readonly route: string
  readonly digest?: string
}

export interface LoggedRequest {
  readonly at: string
  readonly account: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly request_id: string
  /** Members of the body that nothing reads. */
  readonly ignored: readonly string[]
}

/** A request with what was said, as far as that is still kept; secrets are taken out. */
export interface RequestDetail extends LoggedRequest {
  readonly request: SaidRecord | null
  /** `whole` is false where a fault broke it off. */
  readonly response: (SaidRecord & { readonly whole: boolean }) | null
}

export interface SaidRecord {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly size: number
  readonly truncated: boolean
}

export interface TimerRecord {
  readonly id: string
  readonly due_at: string
  readonly command: { readonly type: string; readonly [member: string]: unknown }
}

/** A whole account. Only `import` has to understand it. */
export interface Archive {
  readonly paysim: 1
  readonly account: string
  readonly seed: string
  readonly entries: readonly unknown[]
  readonly images: Readonly<Record<string, string>>
}

/** What the stream says: an entry of the journal, or a request as it was answered. */
export type StreamMessage =
  | { readonly event: 'hello'; readonly data: { readonly account: string; readonly seq: number } }
  | { readonly event: 'entry'; readonly data: JournalEntry }
  | { readonly event: 'request'; readonly data: LoggedRequest }
