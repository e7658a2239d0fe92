import { useEffect } from 'preact/hooks'
import { dateTimeText } from '../format/time.ts'
import { accountNow, setClock } from '../state/account-time.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Button } from '../ui/button.tsx'
import { Away } from '../ui/time.tsx'

/** The account's time, always visible. If the clock stands still, a button moves it to the next timer. */
export function ClockCard({ account }: { account: string }) {
  const params = { account }
  const clock = useLive(
    'GET /accounts/:account/clock',
    { params },
    { about: ['clock', 'timers', 'payments', 'payouts', 'webhooks'] },
  )
  useEffect(() => {
    if (clock.data) setClock(clock.data)
  }, [clock.data])
  if (!clock.data) return null
  const { mode, next_due, pending_timers, rate } = clock.data
  const step = async (to: string) => {
    await call('POST /accounts/:account/clock/advance', { params, body: { to } })
    clock.reload()
  }
  return (
    <div class="clock-card">
      <a href={addressOf(account, 'clock')}>
        <span class="clock-now">{accountNow.value === null ? '' : dateTimeText(accountNow.value)}</span>
        <span class="clock-mode">
          {mode === 'virtual' ? 'Virtual, stands still' : rate === 1 ? 'Real time' : `Real time × ${rate}`}
        </span>
      </a>
      {next_due && (
        <div class="clock-next">
          <span>
            {pending_timers} {pending_timers === 1 ? 'timer' : 'timers'}, next <Away at={next_due} />
          </span>
          {mode === 'virtual' && (
            <Button icon="skip" label="Step to the next timer" onPress={() => step(next_due)} />
          )}
        </div>
      )}
    </div>
  )
}
