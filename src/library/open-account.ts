import type { AccountControl, ControlClient } from '../client/control-client.ts'
import { createClient } from '../client/index.ts'
import type { AccountFacts } from './account-facts.ts'
import { type AccountWebhooks, noWebhooks } from './account-webhooks.ts'
import type { SimulatedAccount } from './simulated-account.ts'
import { whyNothingArrives, withClockHints } from './standing-clock.ts'

interface AccountContext {
  readonly baseUrl: string
  readonly control: ControlClient
  readonly receiver: AccountWebhooks | null
  /** Additional work when the account closes, before its receiver closes. */
  readonly onClose: (account: SimulatedAccount) => Promise<void>
}

export function openAccount(
  facts: AccountFacts,
  { baseUrl, control, receiver, onClose }: AccountContext,
): SimulatedAccount {
  const { publicKey, secretKey } = facts
  const calls = control.account(facts.id)
  const client = withClockHints(createClient({ baseUrl, publicKey, secretKey }), calls)
  receiver?.explainWith(() => whyNothingArrives(calls))
  let closing: Promise<void> | undefined
  const close = async () => {
    await onClose(account)
    await client.close()
    await receiver?.close()
  }
  const account: SimulatedAccount = {
    ...facts,
    ...calls,
    baseUrl,
    client,
    control: calls,
    webhooks: receiver ?? noWebhooks(facts.id),
    ...(receiver ? following(receiver, calls) : {}),
    close: () => {
      closing ??= close()
      return closing
    },
    [Symbol.asyncDispose]: () => account.close(),
  }
  return account
}

/** These calls change the account's endpoints, so the receiver must find its own endpoint again. */
function following(
  receiver: AccountWebhooks,
  calls: AccountControl,
): Pick<SimulatedAccount, 'reset' | 'import'> {
  const register = async () => receiver.register(await calls.webhookEndpoints.list())
  return {
    async reset() {
      const answer = await calls.reset()
      receiver.clear()
      await register()
      return answer
    },
    async import(archive) {
      const answer = await calls.import(archive)
      await register()
      return answer
    },
  }
}
