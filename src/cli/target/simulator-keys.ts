import type { ControlClient } from '../../client/control-client.ts'
import type { Keys } from '../../client/credentials.ts'
import { UsageError } from '../errors/usage-error.ts'
import type { LocalSimulator } from './local-simulator.ts'

/** A merchant's name alone means what it does when it tests. */
export function accountNamed(name = process.env.PAYSIM_ACCOUNT || 'default.test'): string {
  return name.includes('.') ? name : `${name}.test`
}

/** The keys of an account of a simulator that runs here; of one that was made since it started, it is asked. */
export async function keysOf(simulator: LocalSimulator, wanted?: string): Promise<Keys> {
  const id = accountNamed(wanted)
  const known = simulator.accounts.find(account => account.id === id)
  if (known) return { publicKey: known.public_key, secretKey: known.secret_key }
  const { control_url: controlUrl, control_token: token } = simulator
  const { ControlClient, ControlError } = await import('../../client/control-client.ts')
  const control = new ControlClient({ controlUrl, token })
  try {
    const pair = (await control.account(id).keys.list()).find(({ secret_key }) => secret_key)
    if (pair?.secret_key) return { publicKey: pair.public_key, secretKey: pair.secret_key }
    throw new UsageError(
      `every key of ${id} was revoked: \`paysim sim keys add --account ${id}\` gives it another`,
    )
  } catch (error) {
    if (error instanceof ControlError && error.status === 404)
      throw new UsageError(await noAccount(id, control))
    throw error
  } finally {
    await control.close()
  }
}

async function noAccount(id: string, control: ControlClient): Promise<string> {
  const accounts = (await control.merchants.list()).flatMap(merchant => merchant.accounts.map(({ id }) => id))
  return `the simulator that runs here has no account ${id}; it has ${accounts.join(', ')}`
}
