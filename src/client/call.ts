import type { Answer } from './answer-type.ts'

/**
 * A call under way. Awaited, it is the body that came back; `answer()` is the whole of it: status, headers and
 * the exact text. Nothing is kept on the client, so that calls made side by side never mix.
 */
export class Call<T, Body = T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answer: Promise<Answer<Body>>

  constructor(
    answer: Promise<Answer<Body>>,
    /** The key the call carries: known before it is answered, so that it can be shown, and used again. */
    readonly idempotencyKey?: string | undefined,
    /** What of the body one who awaits the call is after; all of it, if left out. */
    private readonly read: (body: Body) => T = asItIs,
  ) {
    this.#answer = answer
  }

  answer(): Promise<Answer<Body>> {
    return this.#answer
  }

  then<A = T, B = never>(
    fulfilled?: ((body: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ body }) => this.read(body)).then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected)
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.then().finally(settled)
  }
}

const asItIs = <Body, T>(body: Body): T => body as unknown as T
