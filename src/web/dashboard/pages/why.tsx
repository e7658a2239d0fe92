import type { ComponentChildren } from 'preact'
import type { Why } from '../../../contract/control/timeline.ts'
import { dateTimeText, sentenceText } from '../format.ts'
import { call } from '../state/api.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { type Loaded, useLive } from '../state/use-live.ts'
import { Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Ready } from '../ui/page.tsx'
import { type Answers, type Move, Moves } from './moves.tsx'

/** Why a record is as it is, read again whenever it may be another reason. */
export const useWhy = (account: string, id: string): Loaded<Why> =>
  useLive(
    'GET /accounts/:account/why/:id',
    { params: { account, id } },
    { record: id, about: ['webhooks', 'clock', 'timers', 'script'] },
  )

interface WhyPanelProps<T extends string> {
  readonly account: string
  readonly why: Loaded<Why>
  /** The triggers that are possible now. */
  readonly moves?: readonly Move<T>[]
  readonly onMove?: (trigger: T, answers: Answers) => Promise<void>
  /** Another action, and whether it is the filled one. */
  readonly children?: (isFilled: boolean) => ComponentChildren
  /** Whether that is what it waits for, rather than one of the moves. */
  readonly childrenFirst?: boolean
}

/** Why a record is as it is, and what can be done about it: the action that brings on what comes next is filled. */
export function WhyPanel<T extends string>({
  account,
  why,
  moves,
  onMove,
  children,
  childrenFirst,
}: WhyPanelProps<T>) {
  return (
    <section class="panel why" aria-label="Why">
      <Ready of={why}>
        {({ sentence, because, commands, next }) => {
          const advances = commands[0]?.startsWith(ADVANCE) === true && next?.at
          return (
            <>
              <p class="reason">{sentenceText(sentence)}</p>
              <details>
                <summary>Because</summary>
                <ul class="because">
                  {because.map(({ what, id, at }) => (
                    <li key={`${what} ${at}`}>
                      {sentenceText(what)}
                      {id && <span class="muted"> {linked(account, id)}</span>}
                      {at && (
                        <span class="muted">
                          {' '}
                          <Time at={at} short />
                        </span>
                      )}
                    </li>
                  ))}
                </ul>
              </details>
              <div class="actions">
                {advances && <AdvanceTo account={account} at={advances} />}
                {childrenFirst && children?.(!advances)}
                {moves && onMove && (
                  <Moves
                    moves={moves}
                    onMove={onMove}
                    filled={advances || childrenFirst ? null : firstOf(commands, moves)}
                  />
                )}
                {!childrenFirst && children?.(!advances)}
              </div>
            </>
          )
        }}
      </Ready>
    </section>
  )
}

const ADVANCE = 'paysim sim clock advance --to '

/** What the reason names first; otherwise the first that is possible. */
const firstOf = <T extends string>(commands: readonly string[], moves: readonly Move<T>[]): T | null =>
  (
    commands
      .map(command => / (?:payments|payouts) ([a-z-]+) /.exec(command)?.[1])
      .flatMap(verb => moves.find(({ trigger }) => trigger === verb) ?? [])[0] ?? moves[0]
  )?.trigger ?? null

/** Only of a virtual clock, which stands still. */
function AdvanceTo({ account, at }: { account: string; at: string }) {
  const advance = async () => {
    const { now, fired } = await call('POST /accounts/:account/clock/advance', {
      params: { account },
      body: { to: at },
    })
    toast(`The time is ${dateTimeText(Date.parse(now))}; ${fired} ${fired === 1 ? 'timer' : 'timers'} fired`)
  }
  return (
    <Button tone="primary" onPress={advance}>
      Advance the clock to it
    </Button>
  )
}

const PAGES: Readonly<Record<string, string>> = {
  pi: 'payments',
  po: 'payouts',
  dlv: 'webhooks',
  req: 'requests',
}

/** An id, or the name of what has it, as a link if it has a page. */
export function linked(account: string, id: string, name: string | null = null) {
  const page = PAGES[id.split('_')[0] ?? '']
  return page === undefined ? <code>{id}</code> : <a href={addressOf(account, page, id)}>{name ?? id}</a>
}
