import type { AdvanceResult, ClockState } from '../../../../client/control-client.ts'
import { parseTimestamp } from '../../../../contract/timestamps.ts'
import { drawRecord } from '../../../output/record.ts'
import type { Screen } from '../../../output/screen.ts'
import { showTime } from '../../../output/time.ts'
import type { View } from '../../../output/view.ts'

/** A screen whose present is that of an account, which may be another than the wall's. */
export function inTimeOf({ now }: { readonly now: string }, screen: Screen): Screen {
  return { ...screen, now: parseTimestamp(now) ?? screen.now }
}

/** The account's time, and how far it is from the wall's, where that is worth a word. */
const nowField = (now: string, screen: Screen) => {
  const { value, note } = showTime(now, screen)
  return { label: 'now', value, note: apart(note) }
}

const apart = (note = 'now') =>
  note === 'now'
    ? undefined
    : note.endsWith(' ago')
      ? note.replace(/ ago$/, ' behind the wall')
      : note.replace(/^in (.*)/, '$1 ahead of the wall')

export const clockView: View<ClockState> = {
  human: (clock, screen) =>
    drawRecord(
      [
        { label: 'clock', value: clock.mode, paint: screen.paint.bold },
        nowField(clock.now, screen),
        { label: 'rate', value: clock.mode === 'real' && clock.rate !== 1 ? `${clock.rate}x` : undefined },
        clock.next_due === null
          ? { label: 'next timer', value: 'none is set: nothing is left to happen' }
          : { label: 'next timer', ...showTime(clock.next_due, inTimeOf(clock, screen)) },
        { label: 'timers', value: clock.pending_timers === 0 ? undefined : String(clock.pending_timers) },
      ],
      screen,
    ),
}

export const arrivalView: View<AdvanceResult> = {
  human: ({ now, fired, idle }, screen) =>
    drawRecord(
      [
        nowField(now, screen),
        { label: 'fired', value: fired === 1 ? '1 timer' : `${fired} timers` },
        {
          label: 'idle',
          value: idle ? 'yes: nothing is left to happen' : 'no: `paysim sim timers` shows what is to come',
        },
      ],
      screen,
    ),
}
