import type { Call } from '../../client/call.ts'
import type { ClockState } from '../../client/control-client.ts'
import type { View } from '../output/view.ts'
import type { ControlSession } from './session.ts'

/** For people, "in 3 days" is from where the clock of the account stands. Programs get the answer, and cost no call more. */
export async function byItsClock<T>(
  { human, account, show }: ControlSession,
  call: Call<unknown, T>,
  view: (clock: ClockState | undefined) => View<T>,
): Promise<void> {
  await call
  await show(call, view(human ? await account.clock.get() : undefined))
}
