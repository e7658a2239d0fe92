import { onTestFinished } from 'vitest'
import {
  type Client,
  type ClientOptions,
  createClient,
  type RequestRecord,
} from '../../../src/client/index.ts'

export const PUBLIC_KEY = 'pk_test_public'
export const SECRET_KEY = 'sk_test_verysecret'

export interface Tested extends Client {
  /** The pauses that it would have made. */
  readonly pauses: number[]
  readonly records: RequestRecord[]
}

/** A client that does not wait, gets the highest random numbers, and closes with the test. */
export function clientFor(baseUrl: string, options: Partial<ClientOptions> = {}): Tested {
  const pauses: number[] = []
  const records: RequestRecord[] = []
  const client = createClient({
    baseUrl,
    publicKey: PUBLIC_KEY,
    secretKey: SECRET_KEY,
    random: () => 1,
    sleep: async milliseconds => {
      pauses.push(milliseconds)
    },
    onRequest: record => records.push(record),
    ...options,
  })
  onTestFinished(() => client.close())
  return { ...client, pauses, records }
}

/** The error of a rejected promise. */
export async function refusal<E extends Error>(
  promise: PromiseLike<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: the arguments of the constructor do not matter
  type: abstract new (...args: any[]) => E,
): Promise<E> {
  const cause = await Promise.resolve(promise).then(
    value => new Error(`it was not refused: ${JSON.stringify(value)}`),
    (refused: unknown) => refused,
  )
  if (cause instanceof type) return cause
  throw cause
}

export const PAYMENT = { id: 'pi_1', object: 'payment_intent', status: 'pending', next_action: null }
export const ORDER = {
  amount: '10000',
  currency: 'THB',
  country: 'TH',
  merchant_reference: 'order-1',
  customer: { name: 'Somchai' },
}
