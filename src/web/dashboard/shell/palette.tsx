import { signal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { MerchantRecord } from '../../../contract/control/merchants.ts'
import { humanise, moneyText } from '../format.ts'
import { FAULT_PRESETS } from '../pages/faults.tsx'
import { LIST_PAGES, type ListPageName, MENU, type RecordPageName } from '../pages/page-names.ts'
import { RULE_PRESETS } from '../pages/rules.tsx'
import { advanceClock } from '../state/account-time.ts'
import { call, messageOf } from '../state/api.ts'
import { changeFaults } from '../state/change-list.ts'
import { addressOf, go, place } from '../state/router.ts'
import { theme } from '../state/theme.ts'
import { toast } from '../state/toasts.ts'
import { Icon, type IconName } from '../ui/icon.tsx'

/** Whether the palette is open. */
export const paletteIsOpen = signal(false)

export const OpenPalette = ({ bare }: { bare?: boolean }) => (
  <button
    type="button"
    class={bare ? 'button ghost bare' : 'button opens-palette'}
    aria-label="Find anything"
    aria-haspopup="dialog"
    aria-keyshortcuts="Control+K /"
    onClick={() => {
      paletteIsOpen.value = true
    }}
  >
    <Icon name="search" />
    {!bare && (
      <>
        <span>Find</span>
        <kbd>Ctrl K</kbd>
      </>
    )}
  </button>
)

interface Choice {
  readonly icon: IconName
  readonly title: string
  readonly more?: string | undefined
  readonly run: () => unknown
}

interface Group {
  readonly title: string
  readonly choices: readonly Choice[]
}

interface PaletteProps {
  readonly account: string
  readonly merchants: readonly MerchantRecord[]
}

/** Finds records, pages and actions by what is typed. */
export const Palette = (props: PaletteProps) => (paletteIsOpen.value ? <OpenedPalette {...props} /> : null)

const TYPED_MS = 120

function OpenedPalette({ account, merchants }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [known] = useState(() => knownGroups(account, merchants))
  const [found, setFound] = useState<Found & { readonly of: string }>()
  const wanted = text.trim()
  // Before the next key is typed.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    if (wanted === '') return setFound(undefined)
    let isCurrent = true
    const search = async () => {
      while (isCurrent) {
        const like = await recordsLike(account, wanted)
        if (isCurrent) setFound({ of: wanted, ...like })
        if (like.exact) return
      }
    }
    const typed = window.setTimeout(() => search().catch(error => toast(messageOf(error), 'bad')), TYPED_MS)
    return () => {
      isCurrent = false
      window.clearTimeout(typed)
    }
  }, [wanted])

  const groups = [...fitting(known, wanted), ...(wanted === '' ? [] : (found?.groups ?? []))].filter(
    ({ choices }) => choices.length > 0,
  )
  const all = groups.flatMap(({ choices }) => choices)
  const active = Math.min(at, all.length - 1)
  const close = () => dialog.current?.close()
  const run = async (choice: Choice | undefined) => {
    if (!choice) return
    close()
    try {
      await choice.run()
    } catch (error) {
      toast(messageOf(error), 'bad')
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (event.key === 'Enter' && !event.isComposing) run(all[active])
    else if (event.key === 'k' && (event.ctrlKey || event.metaKey)) close()
    else if (step === undefined) return
    else setAt((active + step + all.length) % Math.max(1, all.length))
    event.preventDefault()
  }
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const isSearching = wanted !== '' && !(found?.of === wanted && found.exact)
  let nth = 0
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Find anything"
      onClose={() => {
        paletteIsOpen.value = false
      }}
      onClick={event => event.target === dialog.current && close()}
    >
      <div class="palette-input">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Find records, pages and actions"
          aria-expanded={all.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={all.length > 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck={false}
          placeholder="ID, reference, name, page or action"
          value={text}
          onInput={event => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div class="palette-list" role="listbox" id={`${id}-list`} aria-label="What was found" tabIndex={-1}>
        {groups.map(({ title, choices }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of choices, not of fields
          <div key={title} role="group" aria-label={title}>
            <p class="palette-title" aria-hidden="true">
              {title}
            </p>
            {choices.map(choice => {
              const own = nth++
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and takes the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the field names the chosen one
                <div
                  key={`${choice.title} ${choice.more}`}
                  id={`${id}-${own}`}
                  class="palette-choice"
                  role="option"
                  aria-selected={own === active}
                  onMouseMove={() => setAt(own)}
                  onClick={() => run(choice)}
                >
                  <Icon name={choice.icon} />
                  <span class="palette-name">{choice.title}</span>
                  {choice.more && <span class="muted">{choice.more}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <p class="palette-foot" role="status">
        {isSearching
          ? 'Searching…'
          : all.length === 0
            ? 'Nothing like it. Records are found by id, reference and name.'
            : `${all.length} ${all.length === 1 ? 'choice' : 'choices'}. Arrows choose, Enter opens.`}
      </p>
    </dialog>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

/** Those whose title or note has every word. */
function fitting(groups: readonly Group[], wanted: string): Group[] {
  const words = wanted.toLowerCase().split(/\s+/)
  return groups.map(({ title, choices }) => ({
    title,
    choices: choices.filter(choice => {
      const text = `${choice.title} ${choice.more ?? ''}`.toLowerCase()
      return words.every(word => text.includes(word))
    }),
  }))
}

/** What can be chosen without asking the server, as it is when the palette opens. */
function knownGroups(account: string, merchants: PaletteProps['merchants']): Group[] {
  const others = merchants.flatMap(({ name, accounts }) =>
    accounts.filter(({ id }) => id !== account).map(({ id, environment }) => ({ id, environment, name })),
  )
  return [
    { title: 'On this page', choices: actionsHere() },
    {
      title: 'Pages',
      choices: LIST_PAGES.map(name => ({
        icon: name,
        title: MENU[name].title,
        more: `g ${MENU[name].key}`,
        run: () => go(addressOf(account, name)),
      })),
    },
    { title: 'Actions', choices: [...actionsOf(account), ...actionsElsewhere(account)] },
    {
      title: 'Accounts',
      choices: others.map(({ id, environment, name }) => ({
        icon: 'account',
        title: id,
        more: `${environment} · ${name}`,
        run: () => go(addressOf(id, place.value.page)),
      })),
    },
  ]
}

/** The buttons that the shown page has for itself, such as those that move the shown record. */
function actionsHere(): Choice[] {
  const buttons = document.querySelectorAll<HTMLButtonElement>('#content .actions button:not(:disabled)')
  return [...buttons].flatMap(button => {
    const title = (button.textContent || button.ariaLabel)?.trim()
    return title ? [{ icon: 'play' as const, title, run: () => button.click() }] : []
  })
}

/** By the page and the button that has them. */
const ELSEWHERE: readonly (readonly [page: ListPageName, button: string])[] = [
  ['payments', 'New payment'],
  ['payouts', 'New payout'],
  ['requests', 'New request'],
  ['webhooks', 'Add endpoint'],
  ['webhooks', 'Send event'],
  ['rules', 'Add rule'],
  ['faults', 'Add fault'],
]

const actionsElsewhere = (account: string): Choice[] =>
  ELSEWHERE.filter(([page]) => page !== place.value.page || place.value.id !== null).map(
    ([page, button]) => ({
      icon: 'plus',
      title: button,
      more: MENU[page].title,
      run: () => {
        go(addressOf(account, page))
        pressOnceThere(button)
      },
    }),
  )

const THERE_MS = 5000

/** The page that has the button is drawn a moment later. */
function pressOnceThere(label: string): void {
  const press = () => {
    const button = [...document.querySelectorAll<HTMLButtonElement>('#content .actions button')].find(
      ({ textContent }) => textContent?.trim() === label,
    )
    if (!button) return
    observer.disconnect()
    button.click()
  }
  const observer = new MutationObserver(press)
  observer.observe(document.body, { childList: true, subtree: true })
  window.setTimeout(() => observer.disconnect(), THERE_MS)
}

function actionsOf(account: string): Choice[] {
  const params = { account }
  return [
    {
      icon: 'skip',
      title: 'Step to the next timer',
      more: 'of a virtual clock',
      run: async () => {
        const { next_due } = await call('GET /accounts/:account/clock', { params })
        if (next_due) await advanceClock(account, { to: next_due })
        else toast('No timer is set')
      },
    },
    {
      icon: 'skip',
      title: 'Run until idle',
      more: 'of a virtual clock, at most 7 days',
      run: () => advanceClock(account, { until: 'idle', max: '7d' }),
    },
    ...RULE_PRESETS.map(({ label, item }) => ({
      icon: 'rules' as const,
      title: label,
      more: 'adds a rule',
      run: async () => {
        const rules = [{ name: label.toLowerCase(), ...item }]
        await call('POST /accounts/:account/rules', { params, body: { rules } })
        toast(`Rule added: ${label.toLowerCase()}`)
      },
    })),
    ...FAULT_PRESETS.map(({ label, item }) => ({
      icon: 'faults' as const,
      title: label,
      more: 'adds a fault',
      run: async () => {
        await changeFaults(account, now => [{ name: label.toLowerCase(), ...item }, ...now])
        toast(`Fault added: ${label.toLowerCase()}`)
      },
    })),
    ...(['light', 'dark', 'system'] as const).map(name => ({
      icon: name === 'light' ? ('sun' as const) : name === 'dark' ? ('moon' as const) : ('system' as const),
      title: `${humanise(name)} theme`,
      run: () => {
        theme.value = name
      },
    })),
  ]
}

const MOST = 5

interface Found {
  readonly groups: readonly Group[]
  /** Whether all records were looked through. */
  readonly exact: boolean
}

/** The records whose id, reference, name or, of a request, path or body has this text. */
async function recordsLike(account: string, q: string): Promise<Found> {
  const params = { account }
  const query = { q, limit: MOST, partial: 'true' as const }
  const [payments, payouts, deliveries, requests, { rules }] = await Promise.all([
    call('GET /accounts/:account/browse/payments', { params, query }),
    call('GET /accounts/:account/browse/payouts', { params, query }),
    call('GET /accounts/:account/browse/webhook-deliveries', { params, query }),
    call('GET /accounts/:account/requests', { params, query: { q } }),
    call('GET /accounts/:account/rules', { params }),
  ])
  const group = <R,>(
    page: RecordPageName,
    { data, total }: { readonly data: readonly R[]; readonly total: number },
    shown: (row: R) => readonly [id: string, title: string, ...more: unknown[]],
  ): Group => ({
    title: humanise(page),
    choices: [
      ...data.map(row => {
        const [id, title, ...more] = shown(row)
        const words = [...more, id].filter(Boolean).join(' · ')
        return { icon: page, title, more: words, run: () => go(addressOf(account, page, id)) }
      }),
      ...(total > MOST
        ? [
            {
              icon: 'search' as const,
              title: `All ${total} like “${q}”`,
              run: () => go(addressOf(account, page, null, { q })),
            },
          ]
        : []),
    ],
  })
  const sum = (row: { readonly amount: string; readonly currency: string }) =>
    `${moneyText(row.amount, row.currency)} ${row.currency}`
  const groups: Group[] = [
    group('payments', payments, row => [
      row.id,
      row.merchant_reference ?? row.id,
      ...[sum(row), humanise(row.status), row.customer_name],
    ]),
    group('payouts', payouts, row => [
      row.id,
      row.merchant_reference,
      ...[sum(row), humanise(row.status), row.holder_name],
    ]),
    group('webhooks', deliveries, row => [
      row.id,
      `${row.event_type ?? row.event}${row.reference === null ? '' : ` of ${row.reference}`}`,
      ...[humanise(row.status), row.url],
    ]),
    group('requests', { data: requests.data.slice(0, MOST), total: requests.data.length }, row => [
      row.request_id,
      `${row.method} ${row.path.split('?')[0]}`,
      ...[row.reference, row.status],
    ]),
    {
      title: 'Rules',
      choices: rules.flatMap(({ name }) =>
        name?.toLowerCase().includes(q.toLowerCase())
          ? [
              {
                icon: 'rules' as const,
                title: name,
                run: () => go(addressOf(account, 'rules', null, { rule: name })),
              },
            ]
          : [],
      ),
    },
  ]
  return { groups, exact: [payments, payouts, deliveries].every(({ exact }) => exact) }
}
