/** What came back, beside the body that a method returns: the exact text is for whoever passes it on. */
export interface Answer<T = unknown> {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: T
  readonly requestId: string | undefined
  /** How many times the call was made before this answer came. */
  readonly attempts: number
}
