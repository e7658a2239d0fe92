import type { Keys } from '../../client/credentials.ts'
import { ask } from '../prompts/ask.ts'
import { dataDirectory, findLocalSimulator, type LocalSimulator } from '../target/local-simulator.ts'
import { checkBaseUrl } from './new-profile.ts'

/** Where the API is. For the local simulator, the keys are known too. */
interface ChosenGateway {
  readonly baseUrl: string
  readonly keys?: Keys
  readonly isLocal: boolean
}

export async function askGateway(): Promise<ChosenGateway> {
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
    await ask.text({ message: 'Base URL of the API:', check: text => problemOf(() => checkBaseUrl(text)) })
  ).trim()

/** Hides both keys: somebody may type the secret key into the wrong question. */
export async function askKeys(): Promise<Keys> {
  const publicKey = await ask.secret({
    message: 'Public key (pk_…):',
    check: key =>
      checkKey(key) ??
      (key.startsWith('sk_') ? 'This is the secret key. Enter the public key first.' : undefined),
  })
  const secretKey = await ask.secret({
    message: 'Secret key (sk_…):',
    check: key => checkKey(key) ?? (key.startsWith('pk_') ? 'This is the public key.' : undefined),
  })
  return { publicKey: publicKey.trim(), secretKey: secretKey.trim() }
}

const checkKey = (key: string) =>
  key === '' ? 'Enter the key.' : /\s/.test(key) ? 'A key contains no spaces.' : undefined

function problemOf(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
