import { useState } from 'preact/hooks'
import { humanise, moveWords } from '../format.ts'
import { toast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'

/** What the user gave with a move. */
export type Answers = Readonly<Record<string, string>>

export interface Move<T extends string> {
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
export function Moves<T extends string>({ moves, onMove, filled }: MovesProps<T>) {
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
