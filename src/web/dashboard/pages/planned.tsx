import type { Coming, Timeline } from '../../../contract/control/timeline.ts'
import { spanText } from '../format.ts'
import type { Loaded } from '../state/use-live.ts'
import { Away, ExactTime } from '../ui/badge.tsx'
import { Ready } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { YamlView } from './yaml.tsx'

/** What will happen without any action, and when. */
export function PlannedPanel({ timeline }: { timeline: Loaded<Timeline> }) {
  return (
    <Panel title="What comes next">
      <Ready of={timeline}>
        {({ to_come }) =>
          to_come.length === 0 ? (
            <p class="muted">Nothing: it has ended, and its webhooks are delivered or have failed.</p>
          ) : (
            <ol class="planned">
              {to_come.map(coming => (
                <ComingItem key={keyOf(coming)} coming={coming} />
              ))}
            </ol>
          )
        }
      </Ready>
    </Panel>
  )
}

const keyOf = ({ kind, attempt, waits_for }: Coming) => [kind, attempt?.delivery, waits_for].join(' ')

function ComingItem({ coming }: { coming: Coming }) {
  const { what, more } = comingWords(coming)
  return (
    <li>
      <span class="coming-what">
        <b>{what}</b>
        <span class="coming-when">
          {coming.due_at === null ? waitingWords(coming) : <Away at={coming.due_at} />}
        </span>
      </span>
      {coming.due_at !== null && (
        <span class="muted">
          <ExactTime at={coming.due_at} />
        </span>
      )}
      {more && <span class="muted">{more}</span>}
    </li>
  )
}

interface RulePanelProps {
  readonly timeline: Loaded<Timeline>
  /** What to show if no rule was checked yet, or if none matched. */
  readonly without: string
}

/** The record's own copy of its rule, even if the account's rules have changed since. */
export const RulePanel = ({ timeline, without }: RulePanelProps) => (
  <Panel title="Rule">
    <Ready of={timeline}>
      {({ rule }) =>
        rule ? (
          <div class="own-rule">
            <YamlView value={rule} label="The rule as it was when it matched" narrow />
          </div>
        ) : (
          <p class="muted">{without}</p>
        )
      }
    </Ready>
  </Panel>
)

/** A planned action in words: what will happen, and its details. */
function comingWords(coming: Coming): { readonly what: string; readonly more: string } {
  const { attempt, held_by } = coming
  if (attempt)
    return {
      what: `Webhook attempt ${attempt.number}`,
      more: `${attempt.event_type ?? 'an event'} to ${attempt.url}`,
    }
  const held = held_by === null ? null : HELD[held_by]
  return { what: whatOf(coming), more: [whyOf(coming), held].filter(Boolean).join('; ') }
}

/** When it happens, if the exact time is not known yet. */
function waitingWords({ waits_for, after_ms }: Coming): string {
  const what = waits_for === null ? 'not known yet' : WAITS[waits_for]
  if (after_ms === null || waits_for === 'person') return what.startsWith('after') ? what : `when ${what}`
  return `${after_ms === 0 ? 'as soon as' : `${spanText(after_ms)} after`} ${what}`
}

const WAITS: { readonly [W in NonNullable<Coming['waits_for']>]: string } = {
  method: 'the payer has chosen a method',
  action: 'the payer can act',
  receipt: 'a receipt is sent',
  verdict: 'a receipt is accepted',
  approval: 'it is approved',
  person: 'you decide',
}

const HELD: { readonly [H in NonNullable<Coming['held_by']>]: string } = {
  cancellation: 'held back while a cancellation is in flight',
  receipt: 'held back while a receipt is being verified',
  replacement: 'held back until a rejected receipt is replaced',
}

const ENDS: Readonly<Record<string, string>> = {
  succeed: 'Succeeds',
  fail: 'Fails',
  expire: 'Expires',
}

function whatOf({ kind, trigger }: Coming): string {
  switch (kind) {
    case 'present-action':
      return 'The payer can act'
    case 'withdraw-action':
      return 'The action expires'
    case 'receipt':
      return trigger === 'reject-receipt' ? 'The receipt is rejected' : 'The receipt is accepted'
    case 'cancel':
      return trigger === 'confirm-cancel' ? 'The cancellation is confirmed' : (ENDS[trigger ?? ''] ?? 'Ends')
    case 'outcome':
      return ENDS[trigger ?? ''] ?? 'The outcome'
    case 'expire':
      return 'Expires'
    case 'approve':
      return 'The payout is approved'
    case 'attempt':
      return 'A webhook is sent'
  }
}

function whyOf({ kind, trigger, failure, waits_for }: Coming): string {
  const reason = [failure?.code, failure?.message].filter(Boolean).join(': ')
  switch (kind) {
    case 'outcome':
      if (trigger === null) return waits_for === 'method' ? 'its rule decides then' : 'no rule decides it'
      return ['the outcome that its rule sets', reason].filter(Boolean).join(', ')
    case 'expire':
      return 'unless it ends earlier'
    case 'cancel':
      return trigger === 'confirm-cancel' ? reason : 'the answer to the cancellation'
    default:
      return reason
  }
}
