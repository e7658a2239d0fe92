import { useEffect, useState } from 'preact/hooks'
import { ApiError, messageOf } from '../state/api.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor } from '../ui/field.tsx'
import { Scrollable } from '../ui/panel.tsx'

interface YamlDialogProps {
  readonly title: string
  readonly label: string
  /** Text, or data to format as YAML. */
  readonly start: string | readonly unknown[]
  readonly action: string
  readonly onClose: () => void
  readonly onSubmit: (list: unknown[]) => Promise<unknown>
}

/** A dialog that edits a list as YAML, and shows the server's problems below it. */
export function YamlDialog({ title, label, start, action, onClose, onSubmit }: YamlDialogProps) {
  const [text, setText] = useState(typeof start === 'string' ? start : '')
  const [problems, setProblems] = useState<readonly string[]>([])
  useEffect(() => {
    if (typeof start !== 'string') toYaml(start).then(setText)
  }, [])
  const submit = async () => {
    try {
      await onSubmit(await readList(text))
    } catch (error) {
      setProblems(problemsIn(error))
      throw error
    }
  }
  return (
    <FormDialog title={title} action={action} wide onClose={onClose} onSubmit={submit} showsProblems>
      <Editor label={label} value={text} onInput={setText} rows={18} problems={problems} />
    </FormDialog>
  )
}

async function readList(text: string): Promise<unknown[]> {
  const read = await fromYaml(text)
  if (!Array.isArray(read)) throw new Error('It must be a list: start each item with a dash')
  return read
}

const problemsIn = (error: unknown) =>
  error instanceof ApiError && error.details.length > 0
    ? error.details.map(({ field, message }) => `${field} ${message}`)
    : [messageOf(error)]

/** The YAML library is loaded when it is first needed. */
const library = () => import('yaml')

/** Formats data as people write it: the parts of a rule go on one line if they fit. */
async function toYaml(value: unknown, { narrow = false } = {}): Promise<string> {
  const { Document, isPair, visit } = await library()
  const document = new Document(value)
  if (!narrow)
    visit(document, {
      Map(_, map, path) {
        if (path.some(isPair)) map.flow = true
      },
    })
  return document.toString({ lineWidth: narrow ? 0 : 110 })
}

async function fromYaml(text: string): Promise<unknown> {
  const { parse } = await library()
  return parse(text)
}

/** Shows data as YAML. */
export function YamlView({ value, label, narrow }: { value: unknown; label: string; narrow?: boolean }) {
  const [text, setText] = useState('')
  useEffect(() => {
    toYaml(value, { narrow: narrow ?? false }).then(setText)
  }, [value, narrow])
  return (
    <Scrollable kind="text" label={label}>
      <pre class="yaml">{text}</pre>
    </Scrollable>
  )
}
