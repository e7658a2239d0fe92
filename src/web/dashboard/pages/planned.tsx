import type { Coming, Timeline } from '../../../contract/control/timeline.ts'
import { comingWords, waitingWords } from '../format/coming.ts'
import type { Loaded } from '../state/use-live.ts'
import { Ready } from '../ui/page.tsx'
import { Panel } from '../ui/panel.tsx'
import { Away, ExactTime } from '../ui/time.tsx'
import { YamlView } from './yaml-view.tsx'

/** What will happen without any action, and when. */
export function PlannedPanel({ timeline }: { timeline: Loaded<Timeline> }) {
  return (
    <Panel title="Planned">
      <Ready of={timeline}>
        {({ to_come }) =>
          to_come.length === 0 ? (
            <p class="muted">
              Nothing is planned: it has ended, and its webhooks are delivered or have failed.
            </p>
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
