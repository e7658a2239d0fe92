import type { Answer, Sent, Wire } from './wire.ts'

/** The simulator refused what setting the scene needs. */
export class ControlError extends Error {
  constructor(
    readonly call: string,
    readonly answer: Answer,
  ) {
    super(`the simulator refused ${call}: ${answer.lost ?? `${answer.status} ${answer.text}`}`)
  }
}

/** The control surface of the simulator that a story plays in. */
export class Control {
  constructor(
    private readonly wire: Wire,
    private readonly url: string,
    private readonly token: string,
  ) {}

  send(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent: Sent = { method, url: this.url + path, headers: this.#headers(body !== undefined) }
    return this.wire.send(body === undefined ? sent : { ...sent, body: JSON.stringify(body) })
  }

  sendForm(path: string, { contentType, body }: { contentType: string; body: Buffer }): Promise<Answer> {
    const headers = { ...this.#headers(false), 'content-type': contentType }
    return this.wire.send({ method: 'POST', url: this.url + path, headers, body })
  }

  /** The body of an answer that must be a good one. */
  async demand<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body)
    if (answer.lost !== undefined || answer.status >= 300) throw new ControlError(`${method} ${path}`, answer)
    return answer.body as T
  }

  #headers(json: boolean): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, ...(json ? { 'content-type': 'application/json' } : {}) }
  }
}
