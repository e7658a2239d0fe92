import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId } from 'preact/hooks'

/** What the server said about the fields of a form, by their names. */
export const FieldProblems = createContext<ReadonlyMap<string, string>>(new Map())

interface FieldProps {
  readonly label: string
  /** As the server calls it, which may say a problem of it. */
  readonly name?: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly hint?: string
  readonly problem?: string | undefined
  readonly type?: 'text' | 'password' | 'datetime-local'
  readonly placeholder?: string
  readonly required?: boolean
  /** The label is only for screen readers. */
  readonly compact?: boolean
  readonly autofocus?: boolean
  /** Values that are likely wanted; any other one can be given. */
  readonly suggestions?: readonly string[]
}

export function Field(props: FieldProps) {
  const {
    label,
    value,
    onInput,
    name,
    hint,
    problem: own,
    type = 'text',
    placeholder,
    required,
    compact,
    autofocus,
    suggestions,
  } = props
  const said = useContext(FieldProblems).get(name ?? '')
  const problem = own ?? said
  const id = useId()
  const about = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  const given = {
    id,
    value,
    required,
    ...(name === undefined ? {} : { name }),
    autocomplete: 'off' as const,
    spellcheck: false,
    'aria-describedby': about || undefined,
    'aria-invalid': problem ? true : undefined,
    onInput: (event: { currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(suggestions ? { list: `${id}-list` } : {}),
    ...(autofocus ? { ref: focusOnce } : {}),
  }
  return (
    <div class={`field${compact ? ' compact' : ''}`}>
      <label for={id}>{label}</label>
      {type === 'password' ? (
        <input {...given} type="password" />
      ) : type === 'datetime-local' ? (
        <input {...given} type="datetime-local" step={1} />
      ) : (
        <input {...given} type="text" />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function focusOnce(input: HTMLInputElement | null): void {
  if (!input || input.dataset.met) return
  input.dataset.met = 'yes'
  input.focus()
}

interface SelectProps {
  readonly label: string
  readonly name?: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string) => void
  readonly compact?: boolean
}

export function Select({ label, name, value, options, onChange, compact }: SelectProps) {
  const problem = useContext(FieldProblems).get(name ?? '')
  const id = useId()
  return (
    <div class={`field${compact ? ' compact' : ''}`}>
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={event => onChange(event.currentTarget.value)}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        {...(name === undefined ? {} : { name })}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {problem && (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

interface SwitchProps {
  readonly label: string
  readonly on: boolean
  readonly onChange: (on: boolean) => unknown
  readonly children?: ComponentChildren
}

export function Switch({ label, on, onChange, children }: SwitchProps) {
  return (
    <button
      type="button"
      class="switch"
      role="switch"
      aria-checked={on}
      aria-label={label}
      onClick={() => onChange(!on)}
    >
      <span class="track" />
      {children}
    </button>
  )
}

interface EditorProps {
  readonly label: string
  /** As the server calls it, which may say a problem of it. */
  readonly name?: string
  readonly value: string
  readonly onInput: (value: string) => void
  readonly rows?: number
  readonly problems?: readonly string[]
}

/** A field for text in a language such as YAML. */
export function Editor({ label, name, value, onInput, rows = 14, problems: own = [] }: EditorProps) {
  const id = useId()
  const said = useContext(FieldProblems).get(name ?? '')
  const problems = said === undefined ? own : [...own, said]
  return (
    <div class="field editor">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        {...(name === undefined ? {} : { name })}
        rows={rows}
        spellcheck={false}
        autocapitalize="off"
        value={value}
        aria-invalid={problems.length > 0 ? true : undefined}
        aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
        onInput={event => onInput(event.currentTarget.value)}
      />
      {problems.length > 0 && (
        <div id={`${id}-problems`} role="alert">
          <ul class="problems">
            {problems.map(problem => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
