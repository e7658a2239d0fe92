/** The whole answer: its status, its headers, and the exact text. */
export interface Answer<T = unknown> {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly body: T
  readonly requestId: string | undefined
  /** The number of attempts, including this one. */
  readonly attempts: number
}
