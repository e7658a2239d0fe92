import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { Scrollable } from './scrollable.tsx'

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
  text: string
  label?: string
  bare?: boolean
}) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyText(text)
    setCopied(true)
    window.setTimeout(() => setCopied(false), SAID_MS)
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

/** A command with a button that copies it. */
export function Command({ text }: { text: string }) {
  return (
    <div class="command">
      <Scrollable kind="text" label={`Command: ${text.split('\n')[0]}`}>
        <pre>{text}</pre>
      </Scrollable>
      <CopyButton text={text} label="Copy the command" />
    </div>
  )
}
