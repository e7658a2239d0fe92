import { expectCleanAnswer } from '../http/answers.ts'
import { conformanceOf } from '../http/openapi.ts'
import { hosted, paying } from '../payments/requests.ts'
import type { AccountKeys, Answer, Call, Server } from './server.ts'

/** One merchant in one environment, as a test drives it. */
export interface Account {
  keys: AccountKeys
  /** The merchant API. Each answer is checked against the general rules and the OpenAPI document. */
  call: Call
  /** The control surface; paths are relative to this account. */
  control: Call
  /** Creates a payment in merchant mode with a method; fails the test unless it gets 201. */
  pay: (method: string, changes?: Record<string, unknown>) => Promise<Intent>
  /** Creates a payment in hosted mode; fails the test unless it gets 201. */
  payHosted: (changes?: Record<string, unknown>) => Promise<Intent>
  read: (id: string) => Promise<Intent>
  cancel: (id: string, headers?: Record<string, string>) => Promise<Answer>
  trigger: (id: string, trigger: string, body?: Record<string, unknown>) => Promise<Answer>
  advance: (by: string) => Promise<void>
  advanceTo: (time: string) => Promise<void>
  now: () => Promise<number>
  /** How often the gateway made this call to the provider for a payment. */
  providerCalls: (id: string, call: 'start' | 'cancel' | 'submit_receipt') => Promise<number>
  setHealth: (provider: string, healthy: boolean) => Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
export type Intent = any

export function accountOf(server: Server, keys: AccountKeys): Account {
  const bare = server.as(keys)
  const call: Call = async (method, path, options) => {
    const answer = expectCleanAnswer(await bare(method, path, options))
    const conformance = await conformanceOf(server)
    conformance.check(method, path, options, answer)
    return answer
  }
  const control: Call = (method, path, options) =>
    server.control(method, `/accounts/${keys.id}${path}`, options)

  const must = async (answer: Promise<Answer>, status: number): Promise<Intent> => {
    const { status: got, text, body } = await answer
    if (got !== status) throw new Error(`wanted ${status}, got ${got}: ${text}`)
    return body
  }
  const create = (body: unknown) => must(call('POST', '/payment_intents', { body }), 201)
  const advance = async (body: unknown) => {
    await must(control('POST', '/clock/advance', { body }), 200)
  }

  return {
    keys,
    call,
    control,
    pay: (method, changes) => create(paying(method, changes)),
    payHosted: changes => create(hosted(changes)),
    read: id => must(call('GET', `/payment_intents/${id}`), 200),
    cancel: (id, headers) =>
      call('POST', `/payment_intents/${id}/cancel-pending`, {
        headers: { 'content-type': 'application/json', ...headers },
      }),
    trigger: (id, trigger, body = {}) => control('POST', `/payments/${id}/${trigger}`, { body }),
    advance: by => advance({ by }),
    advanceTo: to => advance({ to }),
    now: async () => new Date((await must(control('GET', '/clock'), 200)).now).getTime(),
    providerCalls: async (id, name) => {
      const { data } = await must(control('GET', '/provider-calls'), 200)
      return data.filter(
        (entry: { call: string; payment: string }) => entry.call === name && entry.payment === id,
      ).length
    },
    setHealth: async (provider, healthy) => {
      await must(control('PATCH', `/catalogue/providers/${provider}`, { body: { healthy } }), 200)
    },
  }
}
