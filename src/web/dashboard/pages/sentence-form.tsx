import { useEffect, useState } from 'preact/hooks'
import { DURATION_PATTERN } from '../../../contract/durations.ts'
import { isRecord, jsonOrText } from '../../../contract/json.ts'
import { humanise } from '../format.ts'
import { call } from '../state/api.ts'
import { Button } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import {
  APART,
  beginning,
  CONDITIONS,
  conditionText,
  ending,
  type Item,
  inOrder,
  type Json,
  pathsIn,
  valueAt,
  valueText,
} from './sentence.ts'

/** A form for whatever the schema of a rule or a fault allows, as the server publishes it. */

export interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly const?: Json
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly pattern?: string
}

let published: Promise<Readonly<Record<string, Schema>>> | undefined

export function useSchema(name: string): Schema | undefined {
  const [schema, setSchema] = useState<Schema>()
  useEffect(() => {
    published ??= call('GET /control.json').then(
      document => (document.components as { readonly schemas: Readonly<Record<string, Schema>> }).schemas,
    )
    published.then(
      schemas => setSchema(schemas[name]),
      () => {
        published = undefined
      },
    )
  }, [name])
  return schema
}

type Path = readonly (string | number)[]

/** The value with another one at a path; with undefined, without it and without what is empty then. */
function put(value: Json, [name, ...rest]: Path, given: Json): Json {
  if (name === undefined) return given
  if (typeof name === 'number') {
    const list = [...(value as readonly Json[])]
    const member = put(list[name], rest, given)
    return member === undefined ? list.toSpliced(name, 1) : list.with(name, member)
  }
  const { [name]: before, ...others } = isRecord(value) ? value : {}
  const member = put(before, rest, given)
  if (member !== undefined)
    return isRecord(value) && name in value ? { ...value, [name]: member } : { ...others, [name]: member }
  return Object.keys(others).length === 0 ? undefined : others
}

interface FormProps {
  readonly schema: Schema
  readonly item: Item
  readonly onChange: (item: Item) => void
  /** What is likely wanted, by the name of a member. */
  readonly suggestions: Readonly<Record<string, readonly string[]>>
}

interface Edited extends FormProps {
  readonly onPut: (path: Path, given: Json) => void
}

export function SentenceForm(props: FormProps) {
  const { schema, item, onChange } = props
  const { properties = {}, required = [] } = schema
  const onPut = (path: Path, given: Json) => onChange((put(item, path, given) ?? {}) as Item)
  const edited = { ...props, onPut }
  const parts = inOrder(
    Object.keys(properties).filter(name => !APART.includes(name) && !required.includes(name)),
  )
  return (
    <div class="sentence">
      {'name' in properties && (
        <Field
          label="Name (optional)"
          name="name"
          value={String(item.name ?? '')}
          onInput={text => onPut(['name'], text === '' ? undefined : text)}
        />
      )}
      {required.length > 0 && (
        <fieldset>
          <legend>What happens</legend>
          <div class="phrase">
            {inOrder(required).map(name => (
              <Member key={name} {...edited} path={[name]} schema={properties[name] ?? {}} />
            ))}
          </div>
        </fieldset>
      )}
      {Object.entries(CONDITIONS).map(([name, word]) => {
        const condition = properties[name]
        return (
          condition && <Conditions key={name} {...edited} name={name} word={word} condition={condition} />
        )
      })}
      <fieldset>
        <legend>Then</legend>
        {parts
          .filter(name => item[name] !== undefined)
          .map(name => (
            <div key={name} class="phrase">
              <Member {...edited} path={[name]} schema={properties[name] ?? {}} />
              <Remove what={nameOf([name])} onPress={() => onPut([name], undefined)} />
            </div>
          ))}
        <Add
          label="Add"
          names={parts.filter(name => item[name] === undefined)}
          onAdd={name => onPut([name], startOf(properties[name] ?? {}, name))}
        />
      </fieldset>
    </div>
  )
}

const nameOf = (path: Path) => humanise(path.filter(name => typeof name === 'string').join(' '))

const Remove = ({ what, onPress }: { what: string; onPress: () => void }) => (
  <Button tone="ghost" icon="close" label={`Remove: ${what}`} onPress={onPress} />
)

interface AddProps {
  readonly label: string
  readonly names: readonly string[]
  readonly onAdd: (name: string) => void
}

/** Adds what is chosen. It has no value of its own. */
const Add = ({ label, names, onAdd }: AddProps) =>
  names.length === 0 ? null : (
    <span class="adds">
      <Select
        label={label}
        compact
        value=""
        options={[['', `${label}…`], ...names.map(name => [name, humanise(name)] as const)]}
        onChange={name => name && onAdd(name)}
      />
    </span>
  )

/** The paths of a condition that can be asked for, each with the schema of what is given for it. */
function leavesOf(schema: Schema, path: readonly string[] = []): [path: readonly string[], schema: Schema][] {
  const object = objectIn(schema)
  return object
    ? Object.entries(object).flatMap(([name, member]) => leavesOf(member, [...path, name]))
    : [[path, schema]]
}

const objectIn = ({ properties, anyOf = [] }: Schema) =>
  properties ?? anyOf.find(each => each.properties)?.properties

const written = (path: readonly string[]) => path.join('.')

interface ConditionsProps extends Edited {
  readonly name: string
  readonly word: string
  readonly condition: Schema
}

/** What is asked for, one line for each. */
function Conditions({ name, word, condition, item, onPut, suggestions }: ConditionsProps) {
  const leaves = leavesOf(condition)
  const asked = isRecord(item[name]) ? pathsIn(item[name]).filter(path => path.length > 0) : []
  const schemaAt = (path: readonly string[]) =>
    leaves.find(([leaf]) => written(leaf) === written(path))?.[1] ?? {
      type: 'string',
    }
  // An amount that is given without a comparison is asked for too.
  const free = leaves.filter(([leaf]) => !asked.some(path => conditionText(path) === conditionText(leaf)))
  const ask = (without: readonly string[] | undefined, wanted: string) => {
    const [path, schema] = leaves.find(([leaf]) => written(leaf) === wanted) ?? []
    if (!path || !schema) return
    let next: Json = without === undefined ? item[name] : put(item[name], without, undefined)
    // What is given without a comparison is that it is equal.
    const above = path.slice(0, -1)
    const plain = valueAt(next, above)
    if (above.length > 0 && plain !== undefined && !isRecord(plain)) next = put(next, above, { eq: plain })
    onPut([name], put(next, path, startOf(schema, path.at(-1) ?? '')))
  }
  return (
    <fieldset>
      <legend>{word}</legend>
      {asked.map((path, nth) => (
        <div key={nth} class="phrase">
          {nth > 0 && <span>and</span>}
          <Select
            label={`Condition ${nth + 1} of “${word.toLowerCase()}”`}
            compact
            value={written(path)}
            options={[path, ...free.map(([leaf]) => leaf)].map(
              leaf => [written(leaf), conditionText(leaf)] as const,
            )}
            onChange={wanted => ask(path, wanted)}
          />
          <Leaf
            label={conditionText(path)}
            path={[name, ...path]}
            schema={schemaAt(path)}
            value={valueAt(item[name], path)}
            onPut={onPut}
            suggestions={suggestions}
          />
          <Remove what={conditionText(path)} onPress={() => onPut([name, ...path], undefined)} />
        </div>
      ))}
      <span class="adds">
        <Select
          label={`Add to “${word.toLowerCase()}”`}
          compact
          value=""
          options={[
            ['', asked.length > 0 ? 'And…' : name === 'match' ? 'Always; ask for…' : 'Add an exception…'],
            ...free.map(([leaf]) => [written(leaf), conditionText(leaf)] as const),
          ]}
          onChange={wanted => wanted && ask(undefined, wanted)}
        />
      </span>
    </fieldset>
  )
}

interface MemberProps extends Edited {
  readonly path: Path
  readonly schema: Schema
}

/** Something that happens, with all that belongs to it. */
function Member(props: MemberProps) {
  const { path, schema, item, onPut, suggestions } = props
  const value = valueAt(item, path)
  const word = typeof path.at(-1) === 'number' ? '' : beginning(path)
  const end = ending(path)
  const forms = isWords(schema) ? undefined : schema.anyOf
  if (forms) {
    const now = forms.findIndex(form => fits(value, form))
    const form = forms[now]
    return (
      <>
        {word && <span>{word}</span>}
        <Select
          label={nameOf(path)}
          compact
          value={String(now)}
          options={forms.map((each, nth) => [String(nth), formText(each)] as const)}
          onChange={nth => onPut(path, startOf(forms[Number(nth)] ?? {}, String(path.at(-1))))}
        />
        {form && form.const === undefined && <Inner {...props} schema={form} />}
      </>
    )
  }
  if (schema.properties || schema.items)
    return (
      <>
        {word && <span>{word}</span>}
        <Inner {...props} />
      </>
    )
  return (
    <>
      {word && <span>{word}</span>}
      <Leaf
        label={nameOf(path)}
        path={path}
        schema={schema}
        value={value}
        onPut={onPut}
        suggestions={suggestions}
      />
      {end && <span>{end}</span>}
    </>
  )
}

/** The members of an object, or the items of a list. */
function Inner(props: MemberProps) {
  const { path, schema, item, onPut, suggestions } = props
  const value = valueAt(item, path)
  if (schema.items) {
    const { items } = schema
    const list = Array.isArray(value) ? value : []
    return (
      <>
        {list.map((_, nth) => (
          <span key={nth} class="phrase">
            {nth > 0 && <span>then</span>}
            <Member {...props} path={[...path, nth]} schema={items} />
            {list.length > 1 && (
              <Remove what={`${nameOf(path)} ${nth + 1}`} onPress={() => onPut([...path, nth], undefined)} />
            )}
          </span>
        ))}
        <Button tone="ghost" icon="plus" onPress={() => onPut(path, [...list, startOf(items, '')])}>
          then
        </Button>
      </>
    )
  }
  if (schema.properties) {
    const { properties, required = [] } = schema
    const names = inOrder(Object.keys(properties))
    const has = (name: string) => required.includes(name) || (isRecord(value) && value[name] !== undefined)
    return (
      <>
        {names.filter(has).map(name => (
          <span key={name} class="member">
            <Member {...props} path={[...path, name]} schema={properties[name] ?? {}} />
            {!required.includes(name) && (
              <Remove what={nameOf([...path, name])} onPress={() => onPut([...path, name], undefined)} />
            )}
          </span>
        ))}
        <Add
          label={`Add to ${nameOf(path).toLowerCase()}`}
          names={names.filter(name => !has(name))}
          onAdd={name => onPut([...path, name], startOf(properties[name] ?? {}, name))}
        />
      </>
    )
  }
  return (
    <Leaf
      label={`${nameOf(path)}, given`}
      path={path}
      schema={schema}
      value={value}
      onPut={onPut}
      suggestions={suggestions}
    />
  )
}

/** One text or several. */
const isWords = ({ anyOf = [] }: Schema) =>
  anyOf.length === 2 && anyOf[1]?.items !== undefined && isText(anyOf[0])
const isText = (schema: Schema | undefined) => schema?.type === 'string'

function fits(value: Json, { const: constant, items, properties }: Schema): boolean {
  if (constant !== undefined) return value === constant
  if (items) return Array.isArray(value)
  if (properties) return isRecord(value) && Object.keys(value).every(name => name in properties)
  return typeof value === 'string'
}

const formText = ({ const: constant, items, properties, pattern }: Schema): string => {
  if (constant !== undefined) return valueText(constant)
  if (items || !properties)
    return items ? 'is read, and' : pattern === DURATION_PATTERN ? 'always' : 'exactly'
  const names = Object.keys(properties)
  return names.length < 3 && names.every(name => isText(properties[name])) && names.length > 1
    ? names.join(' and ')
    : 'by itself'
}

/** What a member begins with. */
function startOf(schema: Schema, name: string): Json {
  const {
    const: constant,
    enum: values,
    anyOf,
    items,
    properties,
    required = [],
    minimum,
    type,
    pattern,
  } = schema
  if (constant !== undefined) return constant
  if (values) return values[0]
  if (anyOf) return startOf(anyOf[0] ?? {}, name)
  if (items) return [startOf(items, name)]
  if (properties)
    return Object.fromEntries(required.map(each => [each, startOf(properties[each] ?? {}, each)]))
  if (type === 'integer' || type === 'number') return minimum ?? 1
  return pattern === DURATION_PATTERN ? '5s' : ''
}

interface LeafProps {
  readonly label: string
  readonly path: Path
  readonly schema: Schema
  readonly value: Json
  readonly onPut: Edited['onPut']
  readonly suggestions: FormProps['suggestions']
}

/** A value that is chosen or typed. */
function Leaf({ label, path, schema, value, onPut, suggestions }: LeafProps) {
  const name = path.join('.')
  if (schema.enum)
    return (
      <Select
        label={label}
        name={name}
        compact
        value={String(value ?? '')}
        options={schema.enum.map(each => [each, valueText(each)] as const)}
        onChange={wanted => onPut(path, wanted)}
      />
    )
  const suggested = suggestions[String(path.at(-1))]
  const given = isWords(schema) ? [value].flat() : [value]
  const set = (list: readonly Json[]) => onPut(path, list.length === 1 ? list[0] : list)
  return (
    <>
      {given.map((each, nth) => (
        <Field
          key={nth}
          label={nth === 0 ? label : `${label}, or`}
          name={Array.isArray(value) ? `${name}.${nth}` : name}
          compact
          value={typeof each === 'string' ? each : each === undefined ? '' : JSON.stringify(each)}
          {...(suggested ? { suggestions: suggested } : {})}
          onInput={text =>
            isWords(schema)
              ? set(text === '' && given.length > 1 ? given.toSpliced(nth, 1) : given.with(nth, text))
              : onPut(path, readLeaf(text, schema))
          }
        />
      ))}
      {isWords(schema) && (
        <Button tone="ghost" onPress={() => set([...given, ''])}>
          or
        </Button>
      )}
    </>
  )
}

/** Text that is not a number yet stays a text: the server says what it must be. */
function readLeaf(text: string, { type }: Schema): Json {
  if (type === 'string') return text
  const number = type === 'integer' || type === 'number'
  if (number && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return number ? text : jsonOrText(text)
}
