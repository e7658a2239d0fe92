import { useState } from 'preact/hooks'
import type { StoryFormat } from '../../../contract/control/operations/records.ts'
import { addressOfCall, messageOf, textOf } from '../state/api.ts'
import { useTypedAnswer } from '../state/use-live.ts'
import { BodyView } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field, Select } from '../ui/field.tsx'

interface Record {
  readonly account: string
  readonly id: string
}

/** What was done with a payment, as a scenario or a test to keep. */
export function SaveAsTest(record: Record) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onPress={() => setOpen(true)}>Save as test…</Button>
      {open && <TestDialog {...record} onClose={() => setOpen(false)} />}
    </>
  )
}

const FORMATS: readonly (readonly [format: StoryFormat, label: string, file: string])[] = [
  ['yaml', 'Scenario for paysim run', 'story.yaml'],
  ['vitest', 'vitest, with the library', 'story.test.ts'],
  ['pytest', 'pytest, with paysim client python', 'test_story.py'],
]

interface Shown {
  readonly text: string
  readonly problem?: string
}

function TestDialog({ account, id, onClose }: Record & { readonly onClose: () => void }) {
  const [format, setFormat] = useState<StoryFormat>('yaml')
  const [others, setOthers] = useState('')
  const [shown, setShown] = useState<Shown>({ text: '' })
  const ids = [id, ...others.split(/[\s,]+/)].filter(one => one !== '').join(',')
  const input = { params: { account }, query: { id: ids, format } }
  useTypedAnswer(
    [ids, format],
    () => textOf('GET /accounts/:account/scenario', input),
    text => setShown({ text }),
    error => setShown({ text: '', problem: messageOf(error) }),
    // Not for each letter of an id.
    shown.text === '' ? 0 : undefined,
  )
  const [, , file] = FORMATS.find(([known]) => known === format) ?? []
  return (
    <Dialog title="Save as test" wide onClose={onClose}>
      <div class="body">
        <Select
          label="Format"
          value={format}
          options={FORMATS.map(([value, label]) => [value, label] as const)}
          onChange={value => setFormat(FORMATS.find(([known]) => known === value)?.[0] ?? 'yaml')}
        />
        <Field
          label="With other payments or payouts (optional)"
          placeholder="pi_… po_…"
          value={others}
          onInput={setOthers}
          problem={shown.problem}
        />
        {shown.text !== '' && <BodyView text={shown.text} label="Test" />}
      </div>
      <footer>
        <a
          class="button primary"
          href={addressOfCall('GET /accounts/:account/scenario', input)}
          download={file}
        >
          Download
        </a>
      </footer>
    </Dialog>
  )
}
