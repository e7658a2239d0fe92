import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Why } from '../../../contract/control/timeline.ts'
import { humanise, moveWords, sentenceText } from '../format.ts'
import { advanceClock } from '../state/account-time.ts'
import { addressOf } from '../state/router.ts'
import { toast } from '../state/toasts.ts'
import { type Loaded, useLive } from '../state/use-live.ts'
import { Time } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Ready } from '../ui/page.tsx'

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

/** What the user gave with a move. */
export type Answers = Readonly<Record<string, string>>

interface Move<T extends string> {
  readonly trigger: T
  readonly to: string
}

interface MovesProps<T extends string> {
  readonly moves: readonly Move<T>[]
  readonly onMove: (trigger: T, answers: Answers) => Promise<void>
  /** The one that is likely wanted. */
  readonly filled: T | null
}

/** A button for each trigger that the server would accept now. */
function Moves<T extends string>({ moves, onMove, filled }: MovesProps<T>) {
  const [asked, setAsked] = useState<Move<T> | null>(null)
  const move = async ({ trigger, to }: Move<T>, answers: Answers = {}) => {
    await onMove(trigger, answers)
    toast(`${moveWords(trigger).label}: ${humanise(to).toLowerCase()}`)
  }
  return (
    <>
      {moves.map(possible => {
        const { label, tone, asks } = moveWords(possible.trigger)
        return (
          <Button
            key={possible.trigger}
            tone={possible.trigger === filled ? 'primary' : tone}
            onPress={() => (asks ? setAsked(possible) : move(possible))}
          >
            {asks ? `${label}…` : label}
          </Button>
        )
      })}
      {asked && (
        <AskFirst move={asked} onClose={() => setAsked(null)} onSubmit={answers => move(asked, answers)} />
      )}
    </>
  )
}

const QUESTIONS = {
  failure: [
    ['failure_code', 'Failure code', 'payment_failed'],
    ['failure_message', 'Message', 'The payment failed'],
  ],
  message: [['failure_message', 'Why', 'The receipt was rejected']],
  reason: [['reason', 'Reason', 'stored with the payout']],
} as const

interface AskProps {
  readonly move: Move<string>
  readonly onClose: () => void
  readonly onSubmit: (answers: Answers) => Promise<void>
}

function AskFirst({ move, onClose, onSubmit }: AskProps) {
  const { label, asks } = moveWords(move.trigger)
  const [answers, setAnswers] = useState<Answers>({})
  if (!asks) return null
  const given = () => Object.fromEntries(Object.entries(answers).filter(([, text]) => text.trim() !== ''))
  return (
    <FormDialog
      title={label}
      action={label}
      tone="danger"
      onClose={onClose}
      onSubmit={() => onSubmit(given())}
    >
      {QUESTIONS[asks].map(([name, question, placeholder], at) => (
        <Field
          key={name}
          label={`${question} (optional)`}
          placeholder={placeholder}
          value={answers[name] ?? ''}
          onInput={text => setAnswers({ ...answers, [name]: text })}
          autofocus={at === 0}
        />
      ))}
    </FormDialog>
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
  return (
    <Button tone="primary" onPress={() => advanceClock(account, { to: at })}>
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
