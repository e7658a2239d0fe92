import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../state/api.ts'
import { Command } from '../ui/badge.tsx'
import { callerOf, codeOf, type KeyHolder } from './call-as-code.ts'

const FIRST = {
  method: 'POST',
  path: '/payment_intents',
  headers: { 'content-type': 'application/json' },
  body: `{
  "amount": "10000", "currency": "THB", "country": "TH",
  "merchant_reference": "order-1", "customer": {"name": "Somchai"},
  "return_url": "https://shop.example/thanks"
}`,
}

/** A command for the first payment, which runs where it is pasted. The secret key is only in what is copied. */
export function FirstPayment({ account }: { account: string }) {
  const [caller, setCaller] = useState<KeyHolder>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    callerOf(account).then(setCaller, error => setProblem(messageOf(error)))
  }, [account])
  if (problem !== '') return <p class="problem">{problem}</p>
  if (!caller) return <p class="loading">Loading…</p>
  return (
    <Command
      text={codeOf('curl', FIRST, { ...caller, secretKey: '••••••' })}
      copies={codeOf('curl', FIRST, caller)}
    />
  )
}
