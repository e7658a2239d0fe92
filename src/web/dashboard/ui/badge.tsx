import type { ComponentChildren } from 'preact'
import { httpTone, humanise, type Tone, toneOf } from '../format/words.ts'

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** A status with its own colour. The text says the same. */
export function Status({ status, note }: { status: string; note?: string | null | undefined }) {
  return (
    <Badge tone={toneOf(status)}>
      {humanise(status)}
      {note ? <span class="note"> · {note}</span> : null}
    </Badge>
  )
}

export function HttpStatus({ status }: { status: number | null }) {
  return <Badge tone={httpTone(status)}>{status ?? 'no response'}</Badge>
}
