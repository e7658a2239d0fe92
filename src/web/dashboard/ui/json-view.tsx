import { CopyButton } from './badge.tsx'
import { Scrollable } from './panel.tsx'

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

/** JSON with a line for each member; any other text as it is. */
export function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
