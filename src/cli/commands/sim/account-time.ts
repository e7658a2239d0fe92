import type { Call } from '../../../client/call.ts'
import type { ClockState } from '../../../client/control-client.ts'
import { parseTimestamp } from '../../../contract/timestamps.ts'
import type { ControlSession } from '../../control/session.ts'
import type { Screen } from '../../output/screen.ts'
import type { View } from '../../output/view.ts'

/** A screen whose present is that of an account, which may differ from wall time. */
export function inAccountTime({ now }: { readonly now: string }, screen: Screen): Screen {
  return { ...screen, now: parseTimestamp(now) ?? screen.now }
}

/** For people, "in 3 days" is relative to the clock of the account. Programs need no clock, and save the call. */
export async function showInAccountTime<T>(
  { human, account, show }: ControlSession,
  call: Call<unknown, T>,
  view: (clock: ClockState | undefined) => View<T>,
): Promise<void> {
  await call
  await show(call, view(human ? await account.clock.get() : undefined))
}
