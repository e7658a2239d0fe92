/** A call that the control surface turned down. */
export class ControlError extends Error {
  override readonly name = 'ControlError'

  constructor(
    message: string,
    /** What the server said, without the call that it said it to. */
    readonly reason: string,
    readonly status: number,
    readonly code: string,
    readonly details: readonly { readonly field: string; readonly message: string }[],
    readonly requestId: string | null,
  ) {
    super(message)
  }

  /** From an answer's body, in whichever shape the contract in force gives errors. */
  static from(call: string, status: number, text: string): ControlError {
    const { code, message, details, request_id } = factsIn(text)
    const why = typeof message === 'string' ? message : text.slice(0, 200)
    return new ControlError(
      `${call}: ${status}${typeof code === 'string' ? ` ${code}` : ''}: ${why}`,
      why,
      status,
      typeof code === 'string' ? code : 'unknown',
      Array.isArray(details) ? details : [],
      typeof request_id === 'string' ? request_id : null,
    )
  }
}

/** No answer came at all, or none of a control surface. */
export class ControlUnreachableError extends Error {
  override readonly name = 'ControlUnreachableError'
}

function factsIn(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null) return {}
    const nested = 'error' in body ? body.error : undefined
    return (typeof nested === 'object' && nested !== null ? nested : body) as Record<string, unknown>
  } catch {
    return {}
  }
}
