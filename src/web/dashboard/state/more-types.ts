import type { Clock } from './account-time.ts'

/** What the control surface answers about all but single records. */

export interface Buckets {
  readonly from: string
  readonly width_ms: number
  readonly series: Readonly<Record<string, readonly number[]>>
}

export interface Overview {
  readonly clock: Clock
  readonly payments: {
    readonly total: number
    readonly by_status: Readonly<Record<string, number>>
    readonly over_time: Buckets | null
  }
  readonly payouts: { readonly total: number; readonly by_status: Readonly<Record<string, number>> }
  readonly webhooks: {
    readonly endpoints: number
    readonly by_status: Readonly<Record<string, number>>
    readonly attempts_over_time: Buckets | null
  }
  readonly requests: {
    readonly logged: number
    readonly p50_ms: number | null
    readonly p95_ms: number | null
    readonly over_time: Buckets | null
    readonly p50_over_time: readonly (number | null)[]
    readonly p95_over_time: readonly (number | null)[]
  }
}

export interface RequestRow {
  readonly at: string
  readonly wall_at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly request_id: string
  readonly ignored: readonly string[]
}

export interface Said {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly size: number
  readonly truncated: boolean
}

export interface RequestDetail extends RequestRow {
  readonly request: Said | null
  readonly response: (Said & { readonly whole: boolean }) | null
}

export interface DeliveryRow {
  readonly id: string
  readonly event_type: string | null
  readonly record: string | null
  readonly url: string
  readonly status: string
  readonly attempts: number
  readonly last_status: number | null
  readonly last_error: string | null
  readonly next_attempt_at: string | null
  readonly created_at: string
}

export interface Attempt {
  readonly number: number
  readonly started_at: string
  readonly request: {
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  } | null
  readonly response: {
    readonly at: string
    readonly status: number | null
    readonly error: string | null
    readonly body: string
  } | null
}

export interface Delivery {
  readonly id: string
  readonly event: string
  readonly event_type: string | null
  readonly record: string | null
  readonly endpoint: string
  readonly url: string
  readonly status: string
  readonly fault: string | null
  readonly next_attempt_at: string | null
  readonly created_at: string
  readonly attempts: readonly Attempt[]
}

export interface Endpoint {
  readonly id: string
  readonly url: string
  readonly events: readonly string[] | null
  readonly secret: string | null
  readonly disabled: boolean
  readonly created_at: string
}

export type Described = Readonly<Record<string, unknown>>

export interface Rules {
  readonly standard: boolean
  readonly rules: readonly Described[]
  readonly used: readonly number[]
}

export interface Faults {
  readonly faults: readonly Described[]
  readonly used: readonly number[]
}

/** As the account was given it: what may be left out of a catalogue may be missing here. */
export interface Catalogue {
  readonly providers: readonly { readonly id: string; readonly healthy: boolean }[]
  readonly methods: readonly {
    readonly code: string
    readonly label: string
    readonly category: string
    readonly banks?: readonly { readonly code: string; readonly label: string }[]
  }[]
  readonly routes: readonly {
    readonly id: string
    readonly provider: string
    readonly method: string
    readonly country: string
    readonly currency: string
    readonly environments: readonly string[]
    readonly min_amount?: string
    readonly max_amount?: string
    readonly checkout_modes: readonly string[]
    readonly action: string
    readonly receipt?: string
    readonly cancel_pending: boolean
  }[]
}
