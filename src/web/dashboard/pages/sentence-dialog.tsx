import { useId, useState } from 'preact/hooks'
import { isRecord } from '../../../contract/json.ts'
import { ApiError, messageOf } from '../state/api.ts'
import { useTypedAnswer } from '../state/use-live.ts'
import { FormDialog } from '../ui/dialog.tsx'
import { Editor } from '../ui/field.tsx'
import { useCatalogue } from './filters.tsx'
import type { Item } from './sentence.ts'
import { SentenceForm, useSchema } from './sentence-form.tsx'
import { fromYaml, problemsIn, toYaml } from './yaml.tsx'

interface SentenceDialogProps {
  readonly account: string
  readonly what: keyof typeof SCHEMAS
  readonly isNew: boolean
  readonly start: Item
  readonly suggestions: Readonly<Record<string, readonly string[]>>
  /** What is said of it while it is edited; it throws while it is not valid. */
  readonly onTry?: (item: Item) => Promise<string>
  readonly onSubmit: (items: readonly Item[]) => Promise<unknown>
  readonly onClose: () => void
}

/** As the server publishes them. */
const SCHEMAS = { rule: 'ProviderRule', fault: 'FaultRule' } as const

type Tab = 'sentence' | 'yaml'
const TABS: readonly (readonly [tab: Tab, title: string])[] = [
  ['sentence', 'Sentence'],
  ['yaml', 'YAML'],
]

/** Edits a rule or a fault as a sentence, or as YAML, which may be several. */
export function SentenceDialog({
  account,
  what,
  isNew,
  start,
  suggestions,
  onTry,
  onSubmit,
  onClose,
}: SentenceDialogProps) {
  const schema = useSchema(SCHEMAS[what])
  const [item, setItem] = useState(() => {
    const { off: _, ...rest } = start
    return rest as Item
  })
  const [tab, setTab] = useState<Tab>('sentence')
  const [text, setText] = useState('')
  const [problems, setProblems] = useState<readonly string[]>([])
  const { methods, currencies } = useCatalogue(account)
  const id = useId()
  const read = async () => {
    if (tab === 'sentence') return [item]
    const value = await fromYaml(text)
    const items = Array.isArray(value) ? value : [value]
    if (!items.every(isRecord))
      throw new Error('It must be names with values, such as type: reset, or a list of those')
    return items
  }
  const show = async (wanted: Tab) => {
    if (wanted === tab) return
    setProblems([])
    try {
      if (wanted === 'yaml') setText(await toYaml(item))
      else {
        const [first, ...others] = await read()
        if (!first || others.length > 0) throw new Error('A sentence is about one. Here are several')
        setItem(first)
      }
      setTab(wanted)
    } catch (error) {
      setProblems(problemsIn(error))
    }
  }
  const submit = async () => {
    try {
      await onSubmit(await read())
    } catch (error) {
      const own = ofItem(error)
      if (tab === 'yaml') setProblems(problemsIn(own))
      throw own
    }
  }
  return (
    <FormDialog
      title={isNew ? `Add a ${what} in front` : `Edit the ${what}`}
      action={isNew ? 'Add' : 'Save'}
      wide
      onClose={onClose}
      onSubmit={submit}
      showsProblems={tab === 'yaml'}
    >
      <div class="segmented" role="tablist" aria-label="Edit as">
        {TABS.map(([each, title]) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`${id}-${each}`}
            class="button plain"
            aria-selected={each === tab}
            aria-controls={`${id}-panel`}
            tabIndex={each === tab ? 0 : -1}
            onClick={() => show(each)}
            onKeyDown={event => {
              if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
              event.preventDefault()
              show(tab === 'yaml' ? 'sentence' : 'yaml')
              document.getElementById(`${id}-${tab === 'yaml' ? 'sentence' : 'yaml'}`)?.focus()
            }}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        {tab === 'yaml' ? (
          <Editor
            label="As YAML or JSON"
            value={text}
            onInput={given => {
              setText(given)
              setProblems([])
            }}
            rows={14}
            problems={problems}
          />
        ) : (
          schema && (
            <SentenceForm
              schema={schema}
              item={item}
              onChange={setItem}
              suggestions={{
                method: methods.map(([code]) => code),
                currency: currencies.map(([code]) => code),
                ...suggestions,
              }}
            />
          )
        )}
      </div>
      {onTry && tab === 'sentence' && <Tried item={item} onTry={onTry} />}
    </FormDialog>
  )
}

/** The server names the place in the whole list; the form shows one of it. */
const ofItem = (error: unknown) =>
  error instanceof ApiError
    ? new ApiError(
        error.message,
        error.status,
        error.details.map(({ field, message }) => ({
          field: field.replace(/^(rules|faults)\.\d+\.?/, ''),
          message,
        })),
      )
    : error

function Tried({ item, onTry }: { item: Item; onTry: NonNullable<SentenceDialogProps['onTry']> }) {
  const [said, setSaid] = useState('')
  useTypedAnswer(
    [item],
    () => onTry(item),
    setSaid,
    error => setSaid(error instanceof ApiError ? 'It is not complete yet.' : messageOf(error)),
  )
  return (
    <p class="hint" role="status">
      {said}
    </p>
  )
}
