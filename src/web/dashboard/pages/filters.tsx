import { useEffect, useState } from 'preact/hooks'
import { humanise } from '../format.ts'
import { addressOf, place, setQuery } from '../state/router.ts'
import { useLive } from '../state/use-live.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'

/** Filters are in the URL, so they can be bookmarked and shared. */

const TYPED_MS = 250

/** A text that is taken when nothing was typed for a moment. */
function useTyped(given: string, onTyped: (text: string) => void) {
  const [text, setText] = useState(given)
  useEffect(() => setText(given), [given])
  useEffect(() => {
    if (text === given) return
    const typed = window.setTimeout(() => onTyped(text.trim()), TYPED_MS)
    return () => window.clearTimeout(typed)
  }, [text])
  return [text, setText] as const
}

export function SearchFilter({ hint }: { hint: string }) {
  const given = place.value.query.get('q') ?? ''
  const [text, setText] = useTyped(given, typed => setQuery({ q: typed }))
  return (
    <div class="search">
      <Field label="Search" compact placeholder={hint} value={text} onInput={setText} />
    </div>
  )
}

type Choices = readonly (readonly [value: string, label: string])[]

export interface Filter {
  readonly name: string
  readonly label: string
  /** Without them, it is a whole word that no list has, such as a code that a rule made up. */
  readonly options?: Choices
  /** The words for no filter; without them, such as “Any status”. */
  readonly all?: string
  readonly placeholder?: string
}

export function TextFilter({ name, label, placeholder }: Filter) {
  const given = place.value.query.get(name) ?? ''
  const [text, setText] = useTyped(given, typed => setQuery({ [name]: typed }))
  return <Field label={label} value={text} onInput={setText} {...(placeholder ? { placeholder } : {})} />
}

/** Words of the interface as options. */
export const optionsOf = (words: readonly string[]) => words.map(word => [word, humanise(word)] as const)

export function ChoiceFilter({ name, label, all = `Any ${label.toLowerCase()}`, options = [] }: Filter) {
  const value = place.value.query.get(name) ?? ''
  const known = value === '' || options.some(([option]) => option === value)
  const shown = known ? options : [...options, [value, value] as const]
  return (
    <Select
      label={label}
      compact
      value={value}
      options={[['', all], ...shown]}
      onChange={chosen => setQuery({ [name]: chosen })}
    />
  )
}

/** A time in the user's time zone; the URL has it in the format of the API. */
export function DateFilter({ name, label }: { name: string; label: string }) {
  const given = place.value.query.get(name)
  return (
    <Field
      label={label}
      type="datetime-local"
      value={given ? localText(given) : ''}
      onInput={text => setQuery({ [name]: text === '' ? null : new Date(text).toISOString() })}
    />
  )
}

/** Empty if the URL was edited and has no valid date; the server reports that. */
function localText(iso: string): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

/** Clears all filters, if there are any. */
export function ClearFilters({ names }: { names: readonly string[] }) {
  const { query } = place.value
  if (!names.some(name => query.has(name))) return null
  return (
    <Button
      tone="ghost"
      icon="close"
      onPress={() => setQuery(Object.fromEntries(names.map(name => [name, null])))}
    >
      Clear
    </Button>
  )
}

interface WithCodeProps {
  readonly account: string
  readonly list: 'payments' | 'payouts'
  readonly code: string
}

/** A failure code, as a link to everything that failed with it. */
export const WithCode = ({ account, list, code }: WithCodeProps) => (
  <a href={addressOf(account, list, null, { failure_code: code })}>
    <code>{code}</code>
  </a>
)

/** The account's catalogue, for lists of choices. */
export function useCatalogue(account: string): Record<'methods' | 'currencies' | 'routes', Choices> {
  const { data } = useLive(
    'GET /accounts/:account/catalogue',
    { params: { account } },
    { about: ['catalogue'] },
  )
  const [methods, routes] = [data?.methods ?? [], data?.routes ?? []]
  const currencies = [...new Set(routes.map(({ currency }) => currency))].sort()
  return {
    methods: methods.map(({ code, label }) => [code, label] as const),
    currencies: currencies.map(code => [code, code] as const),
    routes: routes.map(({ id }) => [id, id] as const),
  }
}
