import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { MerchantRecord } from '../../../contract/control/merchants.ts'
import { dateTimeText } from '../format.ts'
import { LIST_PAGES, MENU } from '../pages/page-names.ts'
import { accountNow, setClock } from '../state/account-time.ts'
import { call, signOut } from '../state/api.ts'
import { addressOf, go, place } from '../state/router.ts'
import { type Theme, theme } from '../state/theme.ts'
import { connection, useLive } from '../state/use-live.ts'
import { Away } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { OpenPalette, Palette } from './palette.tsx'
import { Shortcuts } from './shortcuts.tsx'

const SECTIONS = [0, 1, 2].map(nth => LIST_PAGES.filter(name => MENU[name].section === nth))

interface ShellProps {
  readonly merchants: readonly MerchantRecord[]
  readonly account: string | null
  readonly children: ComponentChildren
}

/** The frame of every page: the navigation, and where the user is. */
export function Shell({ merchants, account, children }: ShellProps) {
  const [open, setOpen] = useState(false)
  const { page } = place.value
  useEffect(() => setOpen(false), [place.value])
  return (
    <div class={`shell${open ? ' open' : ''}`}>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="topbar">
        <Brand />
        <span class="topbar-end">
          {connection.value === 'lost' && <Connection />}
          {account && <OpenPalette bare />}
          <button
            type="button"
            class="button ghost bare"
            aria-expanded={open}
            aria-controls="sidebar"
            aria-label="Menu"
            onClick={() => setOpen(!open)}
          >
            <Icon name="menu" />
          </button>
        </span>
      </header>
      <aside class="sidebar" id="sidebar" aria-label="Account and pages">
        <Brand />
        <AccountSwitcher merchants={merchants} account={account} page={page} />
        {account && <OpenPalette />}
        {account && <Navigation account={account} page={page} />}
        <div class="sidebar-end">
          {account && <ClockCard account={account} />}
          <div class="sidebar-row">
            <Connection />
            <ThemeSwitch />
            <Button tone="ghost" icon="out" label="Sign out" onPress={signOut} />
          </div>
        </div>
      </aside>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      {account && <Palette account={account} merchants={merchants} />}
      {account && <Shortcuts account={account} />}
    </div>
  )
}

const Brand = () => (
  <a class="brand" href="/_paysim/dashboard/">
    <img src="/_paysim/dashboard/assets/icon.svg" alt="" width={22} height={22} />
    <span>paysim</span>
  </a>
)

function AccountSwitcher({ merchants, account, page }: Omit<ShellProps, 'children'> & { page: string }) {
  const options = merchants.flatMap(({ name, accounts }) =>
    // A long name is cut off, but the environment must stay visible.
    accounts.map(({ id, environment }) => [id, `${environment} · ${name}`] as const),
  )
  const shown = account === null ? [['', 'Choose an account'] as const, ...options] : options
  const isLive = account?.endsWith('.live')
  return (
    <div class={`switcher${isLive ? ' is-live' : ''}`}>
      <Select
        label="Account"
        compact
        value={account ?? ''}
        options={shown}
        onChange={id => id && go(addressOf(id, page))}
      />
    </div>
  )
}

const Navigation = ({ account, page }: { account: string; page: string }) => (
  <nav aria-label="Pages">
    {SECTIONS.map(section => (
      <ul key={section[0]}>
        {section.map(name => (
          <li key={name}>
            <a href={addressOf(account, name)} aria-current={name === page ? 'page' : undefined}>
              <Icon name={name} />
              {MENU[name].title}
            </a>
          </li>
        ))}
      </ul>
    ))}
  </nav>
)

const STATES = { live: 'Live', connecting: 'Connecting…', lost: 'Reconnecting…' }

const Connection = () => (
  <span class={`connection ${connection.value}`} role="status">
    <span class="dot" />
    {STATES[connection.value]}
  </span>
)

const NEXT: Readonly<Record<Theme, readonly [theme: Theme, icon: IconName, label: string]>> = {
  system: ['light', 'system', 'System theme; switch to light'],
  light: ['dark', 'sun', 'Light theme; switch to dark'],
  dark: ['system', 'moon', 'Dark theme; switch to the system theme'],
}

function ThemeSwitch() {
  const [next, icon, label] = NEXT[theme.value]
  return (
    <Button
      tone="ghost"
      icon={icon}
      label={label}
      onPress={() => {
        theme.value = next
      }}
    />
  )
}

/** The account's time, always visible. If the clock stands still, a button moves it to the next timer. */
function ClockCard({ account }: { account: string }) {
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
