import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { RulesState, TriedRules } from '../../../contract/control/rules.ts'
import { call, messageOf } from '../state/api.ts'
import { type Change, changeRules, isSame, ordering, placeOf } from '../state/change-list.ts'
import { addressOf, place } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { useLive } from '../state/use-live.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Page, Ready } from '../ui/page.tsx'
import { Empty } from '../ui/panel.tsx'
import { type Edited, type ItemActions, ItemCard, type Preset, Presets, useItems } from './script-items.tsx'
import { FAILURE_CODES } from './wanted-outcome.tsx'

type Rule = RulesState['rules'][number]

const NEW_RULE: Rule = {
  match: { kind: 'payment', amount: { lt: '5000' } },
  outcome: { status: 'failed', code: 'insufficient_funds', after: '5s' },
}

export const RULE_PRESETS: readonly Preset<Rule>[] = [
  {
    label: 'Decline the next payment',
    item: {
      match: { kind: 'payment' },
      times: 1,
      outcome: { after: '0s', status: 'failed', code: 'payment_declined' },
    },
  },
  {
    label: 'The next payment succeeds',
    item: { match: { kind: 'payment' }, times: 1, outcome: { after: '0s', status: 'succeeded' } },
  },
  {
    label: 'Reject the next receipt',
    item: {
      match: { kind: 'payment' },
      times: 1,
      receipt: [
        { after: '5s', verdict: 'reject', message: 'Amount is not legible' },
        { after: '5s', verdict: 'accept' },
      ],
    },
  },
  {
    label: 'The next payout fails',
    item: {
      match: { kind: 'payout' },
      times: 1,
      approval: { after: '0s' },
      outcome: { after: '0s', status: 'failed', code: 'account_closed' },
    },
  },
]

/** The provider rules, in the order in which they are checked. */
export function RulesPage({ account }: { account: string }) {
  const params = { account }
  const rules = useLive('GET /accounts/:account/rules', { params }, { about: ['script'] })
  const change = async (how: Change<Rule>) => {
    await changeRules(account, how)
    rules.reload()
  }
  const changeAndSay = async (how: Change<Rule>, message: string, undo: Change<Rule>) => {
    const wasStandard = rules.data?.standard === true
    const before = rules.data?.rules ?? []
    await change(how)
    toast(message, 'good', async () => {
      await change(undo)
      // Rules that are the standard ones again are in force as such.
      if (wasStandard && isSame((await call('GET /accounts/:account/rules', { params })).rules, before))
        await call('DELETE /accounts/:account/rules', { params })
      rules.reload()
    })
  }
  const add = async (items: readonly Rule[]) => {
    await call('POST /accounts/:account/rules', { params, body: { rules: items } })
    rules.reload()
  }
  const toStandard = async () => {
    const before = rules.data?.rules ?? []
    await call('DELETE /accounts/:account/rules', { params })
    rules.reload()
    toast('The standard rules are in force', 'good', () => change(() => before))
  }
  const inForce = rules.data?.rules ?? []
  const tryIt = async (rule: Rule, { item, nth }: Edited<Rule>) => {
    const at = nth === null ? 0 : placeOf(item, nth, inForce)
    const body = { rules: nth === null ? [rule, ...inForce] : inForce.with(at, rule) }
    return triedText(await call('POST /accounts/:account/rules/try', { params, body }), at, rule.match?.kind)
  }
  const { edit, actions, dialog } = useItems({
    ...{ account, what: 'rule', inForce, add, change, changeAndSay, onTry: tryIt },
    suggestions: { code: FAILURE_CODES },
  })
  return (
    <Page
      title="Rules"
      lead={<Lead rules={rules.data} />}
      actions={
        <>
          {rules.data?.standard === false && <Button onPress={toStandard}>Restore the standard rules</Button>}
          <Button onPress={() => edit('all')}>Edit all</Button>
          <Button tone="primary" icon="plus" onPress={() => edit({ item: NEW_RULE, nth: null })}>
            Add rule
          </Button>
        </>
      }
    >
      <Presets presets={RULE_PRESETS} onAdd={add} />
      <Ready of={rules}>
        {data => (
          <RuleList data={data} account={account} {...actions} onOrder={list => change(ordering(list))} />
        )}
      </Ready>
      {dialog}
    </Page>
  )
}

/** Of the last payments and payouts, those that it would have matched, and decided where nothing kept it from that. */
function triedText(tried: TriedRules, nth: number, kind: string | undefined): string {
  const texts = (['payments', 'payouts'] as const).flatMap(of => {
    const { [of]: count } = tried
    const found = tried.rules[nth]?.[of]
    if (count === 0 || !found || (kind !== undefined && `${kind}s` !== of)) return []
    const { matched, used } = found
    const kept = used < matched ? `, and decided ${used}: rules before it or its limits take the others` : ''
    return [`${matched} of the last ${count === 1 ? of.slice(0, -1) : `${count} ${of}`}${kept}`]
  })
  return texts.length === 0
    ? 'There is nothing yet to try it with.'
    : `It would have matched ${texts.join('; ')}.`
}

const Lead = ({ rules }: { rules: RulesState | undefined }) => (
  <span class="muted">
    {rules?.standard ? 'The standard rules. ' : 'Rules of this account. '}
    The first rule that matches is copied into the intent; existing intents keep theirs.
  </span>
)

interface RuleListProps extends ItemActions<Rule> {
  readonly data: RulesState
  readonly account: string
  readonly onOrder: (rules: readonly Rule[]) => Promise<void>
}

/** The rules in the order that was made by hand, until the server has it too. */
function useOrder(data: RulesState, onOrder: RuleListProps['onOrder']) {
  const [made, setMade] = useState<{ readonly of: RulesState; readonly is: RulesState }>()
  const saving = useRef({ last: Promise.resolve(), count: 0 }).current
  // News from the server must not pull a rule out of the hand that drags it.
  const isInHand = useRef(false)
  const shown = made && (made.of === data || isInHand.current || saving.count > 0) ? made.is : data
  /** Puts a rule at another place, and says at which it is now. */
  const move = (from: number, to: number): number => {
    const at = Math.max(0, Math.min(shown.rules.length - 1, to))
    const moved = <T,>(list: readonly T[]) =>
      list.toSpliced(from, 1).toSpliced(at, 0, ...list.slice(from, from + 1))
    isInHand.current = true
    setMade({ of: data, is: { ...shown, rules: moved(shown.rules), used: moved(shown.used) } })
    return at
  }
  const letGo = () => {
    isInHand.current = false
  }
  /** One after another: the last one stays. */
  const save = (rules: readonly Rule[]) => {
    saving.count++
    saving.last = saving.last
      .then(() => onOrder(rules))
      .catch(error => {
        setMade(undefined)
        toast(messageOf(error), 'bad')
      })
      .finally(() => saving.count--)
  }
  return { shown, move, letGo, save }
}

interface HandleProps {
  readonly name: string
  readonly nth: number
  readonly count: number
  /** Says at which place it is then. */
  readonly onMove: (from: number, to: number) => number
  /** With undefined, nothing was changed. */
  readonly onDone: (at: number | undefined) => void
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, Home: -1e6, End: 1e6 }

/** Orders a rule: it is dragged, or moved with the arrow keys. */
function Handle({ name, nth, count, onMove, onDone }: HandleProps) {
  const dragged = useRef<{ readonly from: number; at: number } | null>(null)
  const drag = ({ clientY, currentTarget }: PointerEvent & { currentTarget: Element }) => {
    const { current } = dragged
    const cards = currentTarget.closest('.cards')?.children
    if (!current || !cards) return
    const middles = [...cards].map(card => {
      const { top, height } = card.getBoundingClientRect()
      return top + height / 2
    })
    const below = middles.filter(middle => middle < clientY).length
    const to = below > current.at ? below - 1 : below
    if (to !== current.at) current.at = onMove(current.at, to)
  }
  const drop = () => {
    const { current } = dragged
    dragged.current = null
    if (current) onDone(current.at === current.from ? undefined : current.at)
  }
  return (
    <button
      type="button"
      class="handle"
      aria-label={`Move ${name}, ${nth + 1} of ${count}`}
      title="Drag it, or use the arrow keys"
      onPointerDown={event => {
        if (event.button !== 0) return
        event.currentTarget.setPointerCapture(event.pointerId)
        dragged.current = { from: nth, at: nth }
      }}
      onPointerMove={drag}
      onPointerUp={drop}
      onPointerCancel={drop}
      onKeyDown={event => {
        const step = STEPS[event.key]
        if (step === undefined) return
        event.preventDefault()
        const at = onMove(nth, nth + step)
        onDone(at === nth ? undefined : at)
      }}
    >
      <Icon name="grip" />
    </button>
  )
}

function RuleList({ data: onServer, account, onOrder, ...actions }: RuleListProps) {
  const { shown: data, move, letGo, save } = useOrder(onServer, onOrder)
  const list = useRef<HTMLOListElement>(null)
  // What was moved keeps the focus at its new place, and the new order is saved as it is then shown.
  const [movedTo, setMovedTo] = useState<number | null>(null)
  useLayoutEffect(() => {
    if (movedTo === null) return
    setMovedTo(null)
    list.current?.children[movedTo]?.querySelector<HTMLElement>('.handle')?.focus()
    save(data.rules)
    letGo()
  }, [movedTo])
  if (data.rules.length === 0)
    return (
      <Empty title="No rules">
        <p>
          Payments wait for their payer, and payouts for approval. Add a rule to decide them automatically.
        </p>
      </Empty>
    )
  // A record names the rule that it follows.
  const wanted = place.value.query.get('rule') ?? undefined
  return (
    <ol class="cards" ref={list}>
      {data.rules.map((rule, nth) => {
        const name = typeof rule.name === 'string' ? rule.name : null
        const used = data.used[nth] ?? 0
        const left = typeof rule.times === 'number' ? rule.times - used : null
        return (
          <ItemCard
            key={nth}
            {...actions}
            item={rule}
            nth={nth}
            name={name ?? `rule ${nth + 1}`}
            title={name ?? 'Rule without a name'}
            used={[used, 'used', 'good']}
            isWanted={name !== null && name === wanted}
            handle={
              data.rules.length > 1 && (
                <Handle
                  name={name ?? `rule ${nth + 1}`}
                  nth={nth}
                  count={data.rules.length}
                  onMove={move}
                  onDone={at => (at === undefined ? letGo() : setMovedTo(at))}
                />
              )
            }
            badges={
              left !== null && (
                <Badge tone={left > 0 ? 'info' : 'warn'}>{left > 0 ? `${left} left` : 'used up'}</Badge>
              )
            }
            links={name && used > 0 && <Matched account={account} rule={rule} name={name} />}
          />
        )
      })}
    </ol>
  )
}

function Matched({ account, rule, name }: { account: string; rule: Rule; name: string }) {
  const kind = (rule.match as { kind?: string } | undefined)?.kind
  const isPayout = kind === 'payout' || rule.approval !== undefined
  return (
    <a href={addressOf(account, isPayout ? 'payouts' : 'payments', null, { rule: name })}>
      Intents that follow it
    </a>
  )
}
