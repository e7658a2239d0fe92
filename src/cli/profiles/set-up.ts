import { createClient } from '../../client/create-client.ts'
import type { Keys } from '../../client/credentials.ts'
import { ApiError, type PaymentMethodOptions } from '../../client/index.ts'
import { messageOf } from '../errors/cli-errors.ts'
import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { ask } from '../prompts/ask.ts'
import { readAuthorities } from '../where/authorities.ts'
import { dataDirectory, findLocalSimulator, type LocalSimulator } from '../where/simulators.ts'
import { checkBaseUrl, checkPair, membersOf, newProfile } from './new-profile.ts'
import type { Profile } from './profiles.ts'

export interface Given {
  readonly baseUrl?: string | undefined
  readonly keys?: Keys | undefined
  readonly contract?: string | undefined
  readonly caFile?: string | undefined
}

/** A profile, and the answer to a call with it. */
export interface TestedProfile {
  readonly profile: Profile
  readonly answer: PaymentMethodOptions
  readonly isLocal: boolean
}

/** Asks for what is not given, and asks again until a call works. */
export async function setUp(given: Given): Promise<TestedProfile> {
  // A wrong file must not look like a wrong answer.
  await membersOf({ contract: given.contract, caFile: given.caFile })
  let { baseUrl, keys } = given
  let isLocal = false
  for (;;) {
    if (baseUrl === undefined) {
      const place = await askGateway()
      baseUrl = place.baseUrl
      isLocal = place.isLocal
      keys = place.keys ?? keys
    }
    keys ??= await askKeys(baseUrl)
    try {
      return { ...(await tryProfile({ ...given, baseUrl, keys })), isLocal }
    } catch (error) {
      const again = askAgain(exitCodeOf(error), given, isLocal)
      if (again === undefined) throw error
      process.stderr.write(`✗ ${messageOf(error)}\n\n`)
      if (again === 'place') baseUrl = undefined
      // What was typed is right as long as no server has refused it.
      if (again === 'keys' || isLocal) keys = given.keys
    }
  }
}

/** Makes a profile, and a call with it. */
export async function tryProfile(
  given: Given & { readonly baseUrl: string; readonly keys: Keys },
): Promise<Omit<TestedProfile, 'isLocal'>> {
  const profile = await newProfile(given)
  process.stderr.write(`calling ${profile.base_url} …\n`)
  return { profile, answer: await callWith(profile) }
}

/** What to ask for again after an error: only what no option gave. */
function askAgain(code: number, given: Given, isLocal: boolean): 'place' | 'keys' | undefined {
  if (code === EXIT.credentials && given.keys === undefined && !isLocal) return 'keys'
  if (given.baseUrl !== undefined) return undefined
  return [EXIT.credentials, EXIT.noAnswer, EXIT.notFound].some(known => known === code) ? 'place' : undefined
}

/** A payment that any country could have. Discovery only reads, and an empty list is an answer too. */
const DISCOVERY = { amount: '10000', country: 'TH', currency: 'THB' }

/** Makes a call with a profile: an answer proves that the address and the keys work. */
async function callWith(profile: Profile): Promise<PaymentMethodOptions> {
  const client = createClient({
    baseUrl: profile.base_url,
    publicKey: profile.public_key,
    secretKey: profile.secret_key,
    ca: profile.ca_file === undefined ? undefined : await readAuthorities(profile.ca_file),
  })
  try {
    return await client.methods.list(DISCOVERY).catch(error => {
      // A merchant may allow only one of the two modes.
      if (!(error instanceof ApiError) || error.code !== 'checkout_mode_not_allowed') throw error
      return client.methods.list({ ...DISCOVERY, checkout_mode: 'merchant' })
    })
  } finally {
    await client.close()
  }
}

/** Where the API is. For the local simulator, the keys are known too. */
interface ChosenGateway {
  readonly baseUrl: string
  readonly keys?: Keys
  readonly isLocal: boolean
}

async function askGateway(): Promise<ChosenGateway> {
  const simulator = await findLocalSimulator()
  const elsewhere = {
    name: 'another address',
    value: 'elsewhere',
    description: 'a gateway, or a simulator on another machine; you need its keys',
  } as const
  const here = simulator
    ? ({ name: `the local simulator, ${simulator.url}`, value: 'here', description: '' } as const)
    : ({
        name: 'a new simulator on this machine',
        value: 'start',
        description: 'a gateway for tests; nothing leaves this machine',
      } as const)
  const place = await ask.select({ message: 'Where is the API?', choices: [here, elsewhere] })
  if (place === 'elsewhere') return { baseUrl: await askBaseUrl(), isLocal: false }
  if (place === 'here' && simulator) return askAccount(simulator)
  await askToStart()
  return askGateway()
}

async function askToStart(): Promise<void> {
  process.stderr.write(
    `\n  Run this in another terminal:  paysim serve --data '${dataDirectory()}'\n  It runs until you press Ctrl-C, and saves its data in that folder.\n\n`,
  )
  await ask.confirm({ message: 'Is it running?', default: true })
}

async function askAccount({ url, accounts }: LocalSimulator): Promise<ChosenGateway> {
  const [first, ...rest] = accounts.map(account => ({ name: account.id, value: account }))
  if (!first) return { baseUrl: url, isLocal: true }
  const account =
    rest.length === 0
      ? first.value
      : await ask.select({ message: 'Which account?', choices: [first, ...rest] })
  return { baseUrl: url, keys: keysOf(account), isLocal: true }
}

const keysOf = ({ public_key, secret_key }: LocalSimulator['accounts'][number]): Keys => ({
  publicKey: public_key,
  secretKey: secret_key,
})

export const askBaseUrl = async (): Promise<string> =>
  (
    await ask.text({
      message: 'Base URL of the API:',
      check: text =>
        /^[ps]k_/.test(text)
          ? 'This is a key. Enter the address first.'
          : problemOf(() => checkBaseUrl(text)),
    })
  ).trim()

/** Shows the public key as it is typed, unless it begins like a secret key. */
export async function askKeys(baseUrl: string): Promise<Keys> {
  const publicKey = (
    await ask.text({
      hide: typed => /(?:^|:)\s*sk_/.test(typed),
      message: 'Public key (pk_…):',
      check: key =>
        key.startsWith('sk_')
          ? 'This is the secret key. Enter the public key first.'
          : (checkKey(key) ?? problemOf(() => checkPair({ publicKey: key, secretKey: 'unknown' }, baseUrl))),
    })
  ).trim()
  const secretKey = await ask.secret({
    message: 'Secret key (sk_…):',
    check: key =>
      key.startsWith('pk_')
        ? 'This is the public key.'
        : (checkKey(key) ?? problemOf(() => checkPair({ publicKey, secretKey: key }, baseUrl))),
  })
  return { publicKey, secretKey: secretKey.trim() }
}

/** What no key of any server is. */
function checkKey(key: string): string | undefined {
  if (key === '') return 'Enter the key.'
  if (/\s/.test(key)) return 'A key contains no spaces.'
  return ADDRESS.test(key) ? 'This is an address, not a key.' : undefined
}

/** Such as https://api.example/v1, localhost:7400, 10.0.0.1:80 or api.example.com/v1. */
const ADDRESS = /^[a-z][a-z\d+.-]*:\/\/|^localhost\b|^[\w.-]+:\d+(?:\/|$)|^[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\//i

function problemOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
