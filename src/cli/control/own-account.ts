import type { ControlClient, MerchantRecord } from '../../client/control-client.ts'
import type { AnswerTo } from '../../contract/control/call.ts'
import type { Target } from '../target/find-target.ts'
import { findControl } from './find-control.ts'

/**
 * Asks the control surface about the account whose keys a call of the merchant API uses. Undefined if the call goes to no
 * simulator that is known here, or if it does not answer: what people see besides must not make a command fail.
 */
export async function askOwnAccount<T>(
  { baseUrl, keys }: Pick<Target, 'baseUrl' | 'keys'>,
  ask: (account: ReturnType<ControlClient['account']>, id: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    const simulator = await findControl({})
    if (simulator.url === undefined || new URL(simulator.url).origin !== new URL(baseUrl).origin)
      return undefined
    const { ControlClient } = await import('../../client/control-client.ts')
    const control = new ControlClient(simulator)
    try {
      // It announced the accounts that it had at its start.
      const announced = simulator.simulator?.accounts.find(account => account.public_key === keys.publicKey)
      const id = announced?.id ?? accountOf(keys.publicKey, await control.merchants.list())
      return id === undefined ? undefined : await ask(control.account(id), id)
    } finally {
      await control.close()
    }
  } catch {
    return undefined
  }
}

/** Why a record is as it is, if that can be asked. */
export const whyHere = (
  target: Pick<Target, 'baseUrl' | 'keys'>,
  id: string,
): Promise<AnswerTo<'GET /accounts/:account/why/:id'> | undefined> =>
  askOwnAccount(target, async account => account.call('GET /accounts/:account/why/:id', { params: { id } }))

function accountOf(publicKey: string, merchants: readonly MerchantRecord[]): string | undefined {
  return merchants
    .flatMap(({ accounts }) => accounts)
    .find(({ public_key, more_keys = [] }) =>
      [public_key, ...more_keys.map(pair => pair.public_key)].includes(publicKey),
    )?.id
}
