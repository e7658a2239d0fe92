import { useEffect, useState } from 'preact/hooks'
import { ApiFault, messageOf } from '../state/api.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor } from '../ui/field.tsx'
import { fromYaml, toYaml } from './yaml-text.ts'

interface YamlDialogProps {
  readonly title: string
  readonly label: string
  /** Text as it is, or data to be written out. */
  readonly start: string | readonly unknown[]
  readonly action: string
  readonly onClose: () => void
  readonly onSubmit: (list: unknown[]) => Promise<unknown>
}

/** A list, edited as text. What the server has against it is shown below. */
export function YamlDialog({ title, label, start, action, onClose, onSubmit }: YamlDialogProps) {
  const [text, setText] = useState(typeof start === 'string' ? start : '')
  const [faults, setFaults] = useState<readonly string[]>([])
  useEffect(() => {
    if (typeof start !== 'string') toYaml(start).then(setText)
  }, [])
  const submit = async () => {
    try {
      await onSubmit(await readList(text))
    } catch (fault) {
      setFaults(faultsIn(fault))
      throw fault
    }
  }
  return (
    <FormDialog title={title} action={action} wide onClose={onClose} onSubmit={submit} showsFaults>
      <Editor label={label} value={text} onInput={setText} rows={18} faults={faults} />
    </FormDialog>
  )
}

async function readList(text: string): Promise<unknown[]> {
  const read = await fromYaml(text)
  if (!Array.isArray(read)) throw new Error('It must be a list: each item begins with a dash')
  return read
}

const faultsIn = (fault: unknown) =>
  fault instanceof ApiFault && fault.details.length > 0
    ? fault.details.map(({ field, message }) => `${field} ${message}`)
    : [messageOf(fault)]
