import type { Keys } from '../../client/credentials.ts'
import { ask } from '../prompts/ask.ts'
import { dataDirectory, findLocalSimulator, type LocalSimulator } from '../target/local-simulator.ts'
import { checkBaseUrl } from './new-profile.ts'

/** Where the API is; of a simulator that runs here, its keys are known too. */
interface ChosenGateway {
  readonly baseUrl: string
  readonly keys?: Keys
  readonly isLocal: boolean
}

export async function askGateway(): Promise<ChosenGateway> {
  const simulator = await findLocalSimulator()
  const there = {
    name: 'at another address',
    value: 'there',
    description: 'a gateway, or a simulator elsewhere; you have its keys',
  } as const
  const here = simulator
    ? ({ name: `the simulator that runs here, ${simulator.url}`, value: 'here', description: '' } as const)
    : ({
        name: 'a simulator on this machine, yet to be started',
        value: 'start',
        description: 'a whole gateway to try things with: nothing leaves this machine',
      } as const)
  const place = await ask.select({ message: 'Where is the API?', choices: [here, there] })
  if (place === 'there') return { baseUrl: await askBaseUrl(), isLocal: false }
  if (place === 'here' && simulator) return askAccount(simulator)
  await askToStart()
  return askGateway()
}

async function askToStart(): Promise<void> {
  process.stderr.write(
    `\n  In another terminal:  paysim serve --data '${dataDirectory()}'\n  It goes on until Ctrl-C, and keeps what it is told.\n\n`,
  )
  await ask.confirm({ message: 'Does it run?', default: true })
}

async function askAccount({ url, accounts }: LocalSimulator): Promise<ChosenGateway> {
  const [first, ...rest] = accounts.map(account => ({ name: account.id, value: account }))
  if (!first) return { baseUrl: url, isLocal: true }
  const account =
    rest.length === 0 ? first.value : await ask.select({ message: 'As whom?', choices: [first, ...rest] })
  return { baseUrl: url, keys: keysOf(account), isLocal: true }
}

const keysOf = ({ public_key, secret_key }: LocalSimulator['accounts'][number]): Keys => ({
  publicKey: public_key,
  secretKey: secret_key,
})

/** What a profile is made of, as somebody types it. */

export const askBaseUrl = async (): Promise<string> =>
  (
    await ask.text({ message: 'Base URL of the API:', check: text => complaint(() => checkBaseUrl(text)) })
  ).trim()

/** Both unseen, or a screen that others see would have a key that was typed into the wrong place. */
export async function askKeys(): Promise<Keys> {
  const publicKey = await ask.secret({
    message: 'Public key (pk_…):',
    check: key =>
      wanted(key) ??
      (key.startsWith('sk_') ? 'this is the secret key: the public one goes first' : undefined),
  })
  const secretKey = await ask.secret({
    message: 'Secret key (sk_…):',
    check: key => wanted(key) ?? (key.startsWith('pk_') ? 'this is the public key' : undefined),
  })
  return { publicKey: publicKey.trim(), secretKey: secretKey.trim() }
}

const wanted = (key: string) =>
  key === '' ? 'it is needed' : /\s/.test(key) ? 'there is no blank in a key' : undefined

function complaint(check: () => void): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
