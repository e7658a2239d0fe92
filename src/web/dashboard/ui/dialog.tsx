import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { ApiError, messageOf } from '../state/api.ts'
import { Button } from './button.tsx'
import { FieldProblems } from './field.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  readonly wide?: boolean
  /** Called in place of closing when Escape is pressed. */
  readonly onEscape?: (() => void) | undefined
}

/** Uses the browser's own dialog: it keeps the focus inside, and Escape closes it. */
export function Dialog({ title, onClose, children, wide, onEscape }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !onEscape) return
    event.preventDefault()
    onEscape()
  }
  return (
    <dialog
      ref={dialog}
      class={wide ? 'wide' : ''}
      aria-labelledby={id}
      onClose={onClose}
      onKeyDown={onKeyDown}
    >
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
  /** Closes the dialog when it has finished, and shows what it throws: beside the fields that it is about, otherwise below. */
  readonly onSubmit: () => Promise<unknown>
  /** For a caller that shows the problems next to the fields itself. */
  readonly showsProblems?: boolean
  /** For a dialog that shows the answer. */
  readonly staysOpen?: boolean
}

export function FormDialog({
  action,
  tone = 'primary',
  onSubmit,
  showsProblems,
  staysOpen,
  children,
  ...dialog
}: FormDialogProps) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const [wasEdited, setWasEdited] = useState(false)
  const [isLeaving, setIsLeaving] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (!busy) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [busy])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      await onSubmit()
      if (!staysOpen) return dialog.onClose()
      setProblems(new Map())
      setError(null)
      setBusy(false)
    } catch (cause) {
      const { fields, rest } = sorted(cause, form.current)
      setProblems(fields)
      setError(rest)
      setBusy(false)
    }
  }
  return (
    <Dialog {...dialog} onEscape={wasEdited ? () => setIsLeaving(!isLeaving) : undefined}>
      <form
        ref={form}
        onSubmit={submit}
        onInput={({ target }) => {
          setWasEdited(true)
          const { name } = target as HTMLInputElement
          if (problems.has(name)) setProblems(new Map([...problems].filter(([field]) => field !== name)))
        }}
      >
        <div class="body">
          <FieldProblems.Provider value={problems}>{children}</FieldProblems.Provider>
          {error && !showsProblems && (
            <p class="problem" role="alert">
              {error}
            </p>
          )}
        </div>
        {isLeaving ? (
          <footer>
            <p role="alert">Discard what you changed here?</p>
            <Button onPress={() => setIsLeaving(false)}>Keep editing</Button>
            <Button tone="danger" onPress={dialog.onClose}>
              Discard
            </Button>
          </footer>
        ) : (
          <footer>
            <Button onPress={dialog.onClose}>{staysOpen ? 'Done' : 'Cancel'}</Button>
            <Button submit tone={tone} disabled={busy}>
              {action}
            </Button>
          </footer>
        )}
      </form>
    </Dialog>
  )
}

interface Question {
  readonly title: string
  /** What happens then, and what cannot be undone. */
  readonly text: string
  readonly action: string
  readonly onYes: () => Promise<unknown>
}

/** Asks before something that cannot be undone. */
export function useQuestion() {
  const [asked, ask] = useState<Question | null>(null)
  const dialog = asked && (
    <FormDialog
      title={asked.title}
      action={asked.action}
      tone="danger"
      onClose={() => ask(null)}
      onSubmit={asked.onYes}
    >
      <p>{asked.text}</p>
    </FormDialog>
  )
  return { ask, dialog }
}

/** What is said of a field of the form, and the rest. A member of a list or of an object belongs to its field. */
function sorted(cause: unknown, form: HTMLFormElement | null) {
  const fields = new Map<string, string>()
  const rest: string[] = []
  const details = cause instanceof ApiError ? cause.details : []
  for (const { field, message } of details) {
    const [first = '', ...others] = field.split('.')
    const name = [field, others.at(-1) ?? '', first].find(each => each && form?.elements.namedItem(each))
    if (name === undefined) rest.push(`${field} ${message}`)
    else if (!fields.has(name)) fields.set(name, message)
  }
  if (details.length === 0) rest.push(messageOf(cause))
  return { fields, rest: rest.length > 0 ? rest.join('; ') : null }
}
