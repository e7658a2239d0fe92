import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ControlClient } from '../../client/control-client.ts'
import type { Keys } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type Announcement, announced, isRunning, workingDirectory } from './run-folder.ts'

/** What a running simulator says of itself, in its data directory or in the folder for what runs. */
export interface LocalSimulator {
  readonly pid?: number
  readonly url: string
  readonly control_url: string
  readonly control_token: string
  /** Null where everything is in memory. */
  readonly data_dir: string | null
  readonly accounts: readonly {
    readonly id: string
    readonly environment: string
    readonly public_key: string
    readonly secret_key: string
  }[]
}

export const dataDirectory = (): string => resolve(process.env.PAYSIM_DATA || '.paysim')

/** The simulator that is meant where nothing else is named. */
export async function findLocalSimulator(): Promise<LocalSimulator | undefined> {
  const [first] = await simulatorsHere()
  return first
}

/**
 * Those that "the simulator that runs here" may mean, the likeliest first: the one that serves the data directory of
 * this folder, then those that were started in this folder, the latest first. A directory that PAYSIM_DATA names is
 * the one that is meant.
 */
export async function simulatorsHere(): Promise<LocalSimulator[]> {
  const serving = await simulatorOf(dataDirectory())
  if (process.env.PAYSIM_DATA) return serving ? [serving] : []
  const here = await workingDirectory()
  const started = await simulatorsAmong((await announced()).filter(({ cwd }) => cwd === here))
  const all = [...(serving ? [serving] : []), ...started]
  const live = await keepAlive(all.filter(isFirstOfItsKind))
  // One that was killed is still the best guess: the call says that nothing answers there.
  return live.length > 0 ? live : all.slice(0, 1)
}

/** The simulator of this user that answers at an address, of its API or of its control surface. */
export async function simulatorAt(address: string): Promise<LocalSimulator | undefined> {
  const origin = originOf(address)
  const isThere = ({ url, control_url }: LocalSimulator) =>
    origin !== undefined && (originOf(url) === origin || originOf(control_url) === origin)
  return (await simulatorsHere()).find(isThere) ?? (await simulatorsAmong(await announced())).find(isThere)
}

export const originOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).origin : undefined

/** What is said in a data directory, if anything is. */
async function simulatorOf(directory: string): Promise<LocalSimulator | undefined> {
  try {
    return JSON.parse(await readFile(join(directory, 'server.json'), 'utf8'))
  } catch {
    return undefined
  }
}

async function simulatorsAmong(entries: readonly Announcement[]): Promise<LocalSimulator[]> {
  const found = await Promise.all(
    entries.map(entry => (entry.data_dir === null ? asFacts(entry) : simulatorOf(entry.data_dir))),
  )
  return found.flatMap(simulator => (simulator === undefined ? [] : [simulator]))
}

const asFacts = (entry: object): LocalSimulator | undefined =>
  'url' in entry && 'control_url' in entry && 'accounts' in entry ? (entry as LocalSimulator) : undefined

const isFirstOfItsKind = (one: LocalSimulator, at: number, all: readonly LocalSimulator[]) =>
  all.findIndex(other => other.control_url === one.control_url) === at

/** With one alone there is nothing to choose: then its process is looked for, and nobody is asked. */
async function keepAlive(all: readonly LocalSimulator[]): Promise<LocalSimulator[]> {
  const [only] = all
  if (only && all.length === 1 && (only.pid === undefined || isRunning(only.pid))) return [only]
  const alive = await Promise.all(all.map(answers))
  return all.filter((_, at) => alive[at])
}

const PATIENCE_MS = 1000

/** Whether something listens there. A server that is slow to answer is there. */
async function answers({ control_url }: LocalSimulator): Promise<boolean> {
  const { request } = await import('node:http')
  return new Promise(resolve => {
    const asking = request(`${control_url}/health`, { agent: false, timeout: PATIENCE_MS })
    asking
      .once('response', response => {
        response.resume()
        resolve(response.statusCode === 200)
      })
      .once('timeout', () => {
        resolve(true)
        asking.destroy()
      })
      .once('error', () => resolve(false))
      .end()
  })
}

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
