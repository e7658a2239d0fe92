import type { Answer } from './answer-type.ts'

/**
 * A call in progress. Awaiting it gives the body; `answer()` gives status, headers and the exact text too. The client
 * stores nothing, so parallel calls cannot mix.
 */
export class Call<T, Body = T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answer<Body>>
  /** With this type, a call for more is also a call for less. */
  readonly #read: (body: never) => T

  constructor(
    answer: Promise<Answer<Body>>,
    /** The idempotency key of the call. It is known before the answer, so that it can be shown and used again. */
    readonly idempotencyKey?: string | undefined,
    /** Extracts the part of the body that the caller awaits; the whole body by default. */
    read: (body: Body) => T = asItIs,
  ) {
    this.#answer = answer
    this.#read = read
  }

  answer(): Promise<Answer<Body>> {
    return this.#answer
  }

  then<A = T, B = never>(
    fulfilled?: ((body: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ body }) => this.#read(body as never)).then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected)
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled)
  }
}

const asItIs = <Body, T>(body: Body): T => body as unknown as T
