import { useEffect, useState } from 'preact/hooks'
import { humanise } from '../format.ts'
import { ApiError, call, messageOf } from '../state/api.ts'
import { type Change, replacingAll } from '../state/change-list.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor } from '../ui/field.tsx'
import { Scrollable } from '../ui/panel.tsx'

interface YamlDialogProps<T> {
  readonly what: 'rules' | 'faults'
  readonly start: readonly T[]
  readonly onClose: () => void
  readonly onChange: (how: Change<T>, message: string, undo: Change<T>) => Promise<unknown>
}

/** A dialog that edits all rules or faults as YAML, and shows the server's problems below it. */
export function YamlDialog<T>({ what, start, onClose, onChange }: YamlDialogProps<T>) {
  const [text, setText] = useState('')
  const [seen] = useState(start)
  const noun = humanise(what)
  const [problems, setProblems] = useState<readonly string[]>([])
  useEffect(() => {
    toYaml(seen).then(setText, error => setProblems([messageOf(error)]))
  }, [])
  const submit = async () => {
    try {
      // The server checks what they are.
      const list = (await readList(text)) as T[]
      await onChange(replacingAll(seen, list), `${noun} replaced`, replacingAll(list, seen))
    } catch (error) {
      setProblems(problemsIn(error))
      throw error
    }
  }
  return (
    <FormDialog
      title={`Edit all ${what}`}
      action="Replace"
      wide
      onClose={onClose}
      onSubmit={submit}
      showsProblems
    >
      <Editor
        label={`${noun}, as YAML or JSON`}
        value={text}
        onInput={setText}
        rows={18}
        problems={problems}
      />
    </FormDialog>
  )
}

async function readList(text: string): Promise<unknown[]> {
  const read = await fromYaml(text)
  if (!Array.isArray(read)) throw new Error('It must be a list: start each item with a dash')
  return read
}

export const problemsIn = (error: unknown) =>
  error instanceof ApiError && error.details.length > 0
    ? error.details.map(({ field, message }) => (field === 'text' ? message : `${field} ${message}`))
    : [messageOf(error)]

export const fromYaml = async (text: string) => (await call('POST /yaml/read', { body: { text } })).value

interface Wish {
  readonly value: unknown
  readonly done: (text: string) => void
  readonly failed: (error: unknown) => void
}

/** What a page shows at once is turned into YAML by one call. */
const wishes = { narrow: [] as Wish[], wide: [] as Wish[] }

export function toYaml(value: unknown, { narrow = false } = {}): Promise<string> {
  const waiting = wishes[narrow ? 'narrow' : 'wide']
  if (waiting.length === 0) queueMicrotask(() => fulfil(waiting.splice(0), narrow))
  return new Promise((done, failed) => waiting.push({ value, done, failed }))
}

async function fulfil(all: readonly Wish[], narrow: boolean): Promise<void> {
  try {
    const { texts } = await call('POST /yaml/write', {
      body: { values: all.map(({ value }) => value), narrow },
    })
    for (const [nth, { done }] of all.entries()) done(texts[nth] ?? '')
  } catch (error) {
    for (const { failed } of all) failed(error)
  }
}

/** Shows data as YAML. */
export function YamlView({ value, label, narrow }: { value: unknown; label: string; narrow?: boolean }) {
  const [text, setText] = useState('')
  useEffect(() => {
    toYaml(value, { narrow: narrow ?? false }).then(setText, error => setText(`# ${messageOf(error)}`))
  }, [JSON.stringify(value), narrow])
  return (
    <Scrollable kind="text" label={label}>
      <pre class="yaml">{text}</pre>
    </Scrollable>
  )
}
