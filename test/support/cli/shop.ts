import type { AccountKeys, Call, Server } from '../gateway/server.ts'
import { paying } from '../payments/requests.ts'
import type { Run } from './run-command.ts'
import { type CommandOptions, keepKeysSecret, type Running, type Workplace } from './workplace.ts'

interface Where {
  readonly place: Workplace
  readonly server: Server
  readonly url: string
  readonly createPath: string
  readonly flags: readonly string[]
}

/** A merchant's engineer: keys in the environment, a shell, and access to the simulator behind the server. */
export interface Shop {
  readonly test: AccountKeys
  readonly live: AccountKeys
  /**
   * Runs `paysim …` to its end, with the test keys and the address in the environment. Words are separated by spaces.
   */
  readonly paysim: (words: string, args?: readonly string[], options?: CommandOptions) => Promise<Run>
  readonly start: (words: string, args?: readonly string[], options?: CommandOptions) => Running
  /** The environment of these commands. */
  readonly env: Readonly<Record<string, string>>
  /** The exact body of an answer of this server. */
  readonly text: (path: string) => Promise<string>
  /** A payment with this method, created without the command line. */
  readonly pay: (method: string, changes?: Record<string, unknown>) => Promise<Body>
  readonly payout: (reference: string, changes?: Record<string, unknown>) => Promise<Body>
  /** The control surface; paths are relative to the test account. */
  readonly control: Call
  readonly advance: (by: string) => Promise<void>
  /** The merchant requests of the test account, oldest first, such as `GET /payout_intents?limit=2`. */
  readonly requests: (account?: AccountKeys) => Promise<readonly string[]>
}

// biome-ignore lint/suspicious/noExplicitAny: a black-box test reads whatever came back
export type Body = any

export function openShop(where: Where, { test, live }: { test: AccountKeys; live: AccountKeys }): Shop {
  keepKeysSecret(test)
  keepKeysSecret(live)
  const { server, place, url, createPath } = where
  const env = environmentOf(url, test)
  const control: Call = (method, path, options) =>
    server.control(method, `/accounts/${test.id}${path}`, options)
  const must = async (method: string, path: string, body: unknown): Promise<Body> => {
    const answer = await control(method, path, { body })
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const asked = (
    words: string,
    args: readonly string[] = [],
    options: CommandOptions = {},
  ): [readonly string[], CommandOptions] => [
    [...words.split(' '), ...args, ...where.flags],
    { ...options, env: { ...env, ...options.env } },
  ]
  return {
    test,
    live,
    env,
    control,
    start: (...words) => place.start(...asked(...words)),
    paysim: (...words) => place.paysim(...asked(...words)),
    text: path => fetchText(`${url}${path}`, test),
    pay: async (method, changes = {}) => {
      const made = await server.as(test)('POST', createPath, { body: paying(method, changes) })
      if (made.status !== 201) throw new Error(`no payment: ${made.status} ${made.text}`)
      return made.body
    },
    payout: (reference, changes) =>
      must('POST', '/payouts', { ...PAYOUT, merchant_reference: reference, ...changes }),
    advance: async by => {
      await must('POST', '/clock/advance', { by })
    },
    requests: async (account = test) => {
      const { body } = await server.control('GET', `/accounts/${account.id}/requests`)
      return body.data
        .filter((one: Body) => !one.path.startsWith('/_paysim'))
        .map((one: Body) => `${one.method} ${one.path}`)
        .reverse()
    },
  }
}

export const environmentOf = (url: string, keys: Pick<AccountKeys, 'public_key' | 'secret_key'>) => ({
  PAYSIM_BASE_URL: url,
  PAYSIM_PUBLIC_KEY: keys.public_key,
  PAYSIM_SECRET_KEY: keys.secret_key,
})

const PAYOUT = {
  amount: '5000',
  currency: 'THB',
  country: 'TH',
  recipient: { bank_code: 'bbl', holder_name: 'สมชาย ใจดี', account_number: '1234567890' },
}

async function fetchText(url: string, keys: AccountKeys): Promise<string> {
  const authorization = `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString('base64')}`
  const answer = await fetch(url, { headers: { authorization } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return answer.text()
}
