import { useState } from 'preact/hooks'
import type { PaymentRecord } from '../../../contract/control/payments.ts'
import type { PayoutRecord } from '../../../contract/control/payouts.ts'
import { humanise, moveWords } from '../format/words.ts'
import { accountPath, callAt } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { Button } from '../ui/button.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'

interface MovesProps {
  readonly account: string
  readonly kind: 'payments' | 'payouts'
  readonly id: string
  readonly moves: readonly Move[]
  readonly onDone: () => void
}

type Move = (PaymentRecord | PayoutRecord)['moves'][number]

/** A button for each trigger that the server would accept now. */
export function Moves({ account, kind, id, moves, onDone }: MovesProps) {
  const [asked, setAsked] = useState<Move | null>(null)
  const move = async ({ trigger, to }: Move, answers: Record<string, string> = {}) => {
    await callAt('POST', accountPath(account, `/${kind}/${id}/${trigger}`), answers)
    toast(`${moveWords(trigger).label}: ${humanise(to).toLowerCase()}`)
    onDone()
  }
  return (
    <>
      {moves.map(possible => {
        const { label, tone, asks } = moveWords(possible.trigger)
        return (
          <Button
            key={possible.trigger}
            tone={tone}
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
  readonly move: Move
  readonly onClose: () => void
  readonly onSubmit: (answers: Record<string, string>) => Promise<void>
}

function AskFirst({ move, onClose, onSubmit }: AskProps) {
  const { label, asks } = moveWords(move.trigger)
  const [answers, setAnswers] = useState<Record<string, string>>({})
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
