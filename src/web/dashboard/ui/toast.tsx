import { dismiss, toasts } from '../state/toasts.ts'
import { Button } from './button.tsx'

/** The list of messages is in the page from the start, so that screen readers announce new messages. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, undo }) => (
        <div key={id} class={`toast ${tone}`}>
          <span>{text}</span>
          {undo && (
            <Button
              icon="undo"
              onPress={async () => {
                dismiss(id)
                await undo()
              }}
            >
              Undo
            </Button>
          )}
          <Button tone="ghost" icon="close" label="Dismiss" onPress={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
