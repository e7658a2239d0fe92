import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { laidOut } from '../../../contract/json.ts'
import {
  awayText,
  dateTimeText,
  exactText,
  httpTone,
  humanise,
  moneyText,
  shortTimeText,
  type Tone,
  toneOf,
} from '../format.ts'
import { accountNow } from '../state/account-time.ts'
import { messageOf } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Scrollable } from './panel.tsx'

export function Badge({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

/** A status with its own colour. The text says the same. */
export function Status({ status, note }: { status: string; note?: string | number | null | undefined }) {
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

export function Money({ amount, currency }: { amount: string; currency: string }) {
  return (
    <span class="money">
      {moneyText(amount, currency)} <span class="currency">{currency}</span>
    </span>
  )
}

/** A time in a readable form; the form of the API is in its title. */
export function Time({ at, short }: { at: string; short?: boolean }) {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={at}>
      {short ? shortTimeText(ms) : dateTimeText(ms)}
    </time>
  )
}

export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {exactText(Date.parse(at))}
    </time>
  )
}

/** How far a time is from the account's time. It is updated as the account's time passes. */
export function Away({ at }: { at: string }) {
  const now = accountNow.value
  return (
    <time dateTime={at} title={at}>
      {now === null ? dateTimeText(Date.parse(at)) : awayText(Date.parse(at), now)}
    </time>
  )
}

const SAID_MS = 1500

/** Copies text. A page over plain HTTP from another machine has no clipboard API, so it uses the older way. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export function CopyButton({
  text,
  label = 'Copy',
  bare = true,
}: {
  /** A text that is read only when it is copied may hold a secret. */
  text: string | (() => Promise<string>)
  label?: string
  bare?: boolean
}) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : await text())
      setCopied(true)
      window.setTimeout(() => setCopied(false), SAID_MS)
    } catch (error) {
      toast(messageOf(error), 'bad')
    }
  }
  return (
    <button
      type="button"
      class={bare ? 'button ghost bare small' : 'button plain'}
      onClick={copy}
      aria-label={label}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      {!bare && <span>{copied ? 'Copied' : label}</span>}
    </button>
  )
}

/** A value with a button that copies it. */
export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <span class="copyable">
      <code>{text}</code>
      <CopyButton text={text} label={`Copy ${what}`} />
    </span>
  )
}

/** A secret is hidden until the user asks for it. */
export function Secret({ text, what }: { text: string; what: string }) {
  const [shown, setShown] = useState(false)
  if (shown) return <Copyable text={text} what={what} />
  return (
    <span class="copyable">
      <code>{text.slice(0, text.lastIndexOf('_') + 1)}••••••••••••</code>
      <Button tone="ghost" icon="eye" label={`Show ${what}`} onPress={() => setShown(true)} />
    </span>
  )
}

/** A command with a button that copies it, or that with what is not shown, such as a key. */
export function Command({ text, copies = text }: { text: string; copies?: string }) {
  return (
    <div class="command">
      <Scrollable kind="text" label={`Command: ${text.split('\n')[0]}`}>
        <pre>{text}</pre>
      </Scrollable>
      <CopyButton text={copies} label="Copy the command" />
    </div>
  )
}

/** Shows a body, formatted if it is JSON. */
export function BodyView({ text, label }: { text: string; label: string }) {
  const shown = laidOut(text)
  return (
    <div class="body-view">
      <Scrollable kind="text" label={label}>
        <pre>{shown}</pre>
      </Scrollable>
      <CopyButton text={shown} label={`Copy the ${label.toLowerCase()}`} />
    </div>
  )
}
