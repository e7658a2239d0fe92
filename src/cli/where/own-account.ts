import type { ControlClient } from '../../client/control-client.ts'
import type { AnswerTo } from '../../contract/control/call.ts'
import { accountAmong, originOf } from './simulators.ts'
import type { Where } from './where.ts'

/**
 * Asks the control surface about the account whose keys a call of the merchant API uses. Undefined if the call goes to no
 * simulator that is known here, or if it does not answer: what people see besides must not make a command fail.
 */
export async function askOwnAccount<T>(
  where: Where,
  ask: (account: ReturnType<ControlClient['account']>, id: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    const [{ baseUrl, keys }, control] = [await where.merchant(), await where.control()]
    if (control.url === undefined || originOf(control.url) !== originOf(baseUrl)) return undefined
    const { ControlClient } = await import('../../client/control-client.ts')
    const client = new ControlClient(control)
    try {
      // It announced the accounts that it had at its start.
      const announced = control.simulator?.accounts.find(account => account.public_key === keys.publicKey)
      const id = announced?.id ?? accountAmong(await client.merchants.list(), keys.publicKey)
      return id === undefined ? undefined : await ask(client.account(id), id)
    } finally {
      await client.close()
    }
  } catch {
    return undefined
  }
}

/** Why a record is as it is, if that can be asked. */
export const whyHere = (
  where: Where,
  id: string,
): Promise<AnswerTo<'GET /accounts/:account/why/:id'> | undefined> =>
  askOwnAccount(where, async account => account.call('GET /accounts/:account/why/:id', { params: { id } }))
