import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { messageOf } from '../state/api.ts'
import { Button } from './button.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
}

/** Uses the browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children, wide }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <Button tone="ghost" icon="close" label="Close" onPress={() => dialog.current?.close()} />
      </header>
      {children}
    </dialog>
  )
}

interface FormDialogProps extends DialogProps {
  readonly action: string
  readonly tone?: 'primary' | 'danger'
  /** Closes the dialog when it has finished, and shows what it throws. */
  readonly onSubmit: () => Promise<unknown>
  /** For a caller that shows the problems next to the fields itself. */
  readonly showsProblems?: boolean
}

export function FormDialog({
  action,
  tone = 'primary',
  onSubmit,
  showsProblems,
  children,
  ...dialog
}: FormDialogProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await onSubmit()
      dialog.onClose()
    } catch (cause) {
      setError(messageOf(cause))
      setBusy(false)
    }
  }
  return (
    <Dialog {...dialog}>
      <form onSubmit={submit}>
        <div class="body">
          {children}
          {error && !showsProblems && (
            <p class="problem" role="alert">
              {error}
            </p>
          )}
        </div>
        <footer>
          <Button onPress={dialog.onClose}>Cancel</Button>
          <Button submit tone={tone} disabled={busy}>
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
