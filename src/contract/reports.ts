/** The JSON reports of `paysim run` and `paysim explore`, which the page of `--report html` shows. */

/** A moment of a scenario file where something differs from what was expected. */
export interface ReportedMismatch {
  readonly subject: string
  /** `{absent: true}` if there is nothing. */
  readonly expected: unknown
  readonly actual: unknown
  readonly why: string | null
  readonly line: number
  readonly column: number
}

export interface ReportedFailure {
  readonly line: number
  readonly column: number
  readonly mismatches: readonly ReportedMismatch[]
  readonly request: { readonly method: string; readonly url: string } | null
  readonly answer: { readonly status: number; readonly body: string; readonly lost: string | null } | null
  readonly history: readonly string[]
}

export interface ReportedStep {
  readonly step: string
  readonly title: string
  readonly line: number
  readonly column: number
  readonly depth: number
  readonly since_start_ms: number
  readonly took_ms: number
  readonly ok: boolean
  readonly failure?: ReportedFailure
}

export interface ReportedScenario {
  readonly file: string
  readonly name: string
  readonly turn?: number
  readonly of?: number
  readonly seed?: number | string
  readonly ok: boolean
  /** Why the file cannot be run. */
  readonly problems?: readonly { readonly line: number; readonly column: number; readonly message: string }[]
  /** What a run that passed did not show. */
  readonly warnings?: readonly string[]
  readonly took_ms: number
  readonly clock: 'virtual' | 'real'
  readonly passed_ms: number
  readonly steps: readonly ReportedStep[]
}

export interface RunReport {
  readonly ok: boolean
  readonly scenarios: number
  readonly failed: number
  readonly results: readonly ReportedScenario[]
}

export interface ReportedKind {
  readonly kind: string
  readonly places: number
  readonly tried: number
  readonly failed: number
  readonly not_met: number
  readonly not_judged: number
}

export interface ReportedPlace {
  readonly kind: string
  readonly step: number
  readonly description: string
}

export interface ReportedFinding {
  /** What was disturbed; nothing, if it fails undisturbed too. */
  readonly kinds: readonly string[]
  readonly places: readonly ReportedPlace[]
  readonly message: string
  readonly expected: unknown
  readonly actual: unknown
  /** How many disturbances caused the same failure, this one included. */
  readonly alike: number
  /** In how many of so many repeated runs it failed. */
  readonly failed: number
  readonly of: number
  readonly flaky: boolean
  /** The file that repeats it, and its text. */
  readonly saved: string | null
  readonly saved_text: string | null
  /** The command that repeats it. */
  readonly repeat: string | null
  readonly advice: readonly string[]
  readonly guide: readonly string[]
  readonly what_happened: readonly string[]
  readonly output: readonly string[]
}

export interface ReportedExploration {
  readonly file: string
  readonly name: string
  readonly seed: number
  readonly verdict: string
  readonly plain: {
    readonly ok: boolean
    readonly took_ms: number
    readonly steps: readonly Pick<ReportedStep, 'step' | 'title' | 'took_ms' | 'ok'>[]
    readonly calls: readonly { readonly call: string; readonly step: number; readonly status: number }[]
    readonly webhooks: readonly { readonly event: string; readonly step: number; readonly status: number }[]
    readonly differences: readonly string[]
    readonly failure: readonly string[] | null
    readonly what_happened: readonly string[]
  }
  readonly kinds: readonly ReportedKind[]
  readonly places: readonly ReportedPlace[]
  readonly tries: readonly {
    readonly places: readonly string[]
    readonly outcome: string
    readonly took_ms: number
    readonly message?: string
  }[]
  readonly findings: readonly ReportedFinding[]
  readonly timings: {
    readonly took_ms: number
    readonly trying_ms: number
    readonly tries_per_second: number | null
  }
}

export interface ExploreReport {
  readonly ok: boolean
  readonly explorations: readonly ReportedExploration[]
}
