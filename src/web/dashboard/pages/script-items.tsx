import type { ComponentChildren, Ref } from 'preact'
import { useState } from 'preact/hooks'
import { countText, humanise } from '../format.ts'
import { messageOf } from '../state/api.ts'
import { type Change, replacing, type Switchable, switching } from '../state/change-list.ts'
import { toast } from '../state/toasts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/field.tsx'
import { type Item, sentenceOf } from './sentence.ts'
import { SentenceDialog } from './sentence-dialog.tsx'
import { YamlDialog } from './yaml.tsx'

/** What the pages of rules and of faults share: lists that are switched, edited as sentences and as YAML, and undone. */

/** What is wanted most often, ready to be set. */
export interface Preset<T> {
  readonly label: string
  readonly item: T
}

interface PresetsProps<T> {
  readonly presets: readonly Preset<T>[]
  readonly onAdd: (items: readonly T[]) => Promise<unknown>
}

export const Presets = <T extends object>({ presets, onAdd }: PresetsProps<T>) => (
  <fieldset class="presets">
    <legend class="muted">Add at once</legend>
    {presets.map(({ label, item }) => (
      <Button key={label} onPress={() => onAdd([{ name: label.toLowerCase(), ...item }])}>
        {label}
      </Button>
    ))}
  </fieldset>
)

/** An item as it was when somebody began to edit it, and its place; a new one has none. */
export interface Edited<T> {
  readonly item: T
  readonly nth: number | null
}

/** What can be done with an item at its place. */
export interface ItemActions<T> {
  readonly onSwitch: (item: T, nth: number, on: boolean) => Promise<unknown>
  readonly onEdit: (item: T, nth: number) => void
  readonly onRemove: (item: T, nth: number) => Promise<unknown>
}

interface ItemsProps<T> {
  readonly account: string
  readonly what: 'rule' | 'fault'
  readonly inForce: readonly T[]
  readonly suggestions: Readonly<Record<string, readonly string[]>>
  readonly add: (items: readonly T[]) => Promise<unknown>
  readonly change: (how: Change<T>) => Promise<unknown>
  /** Says what was done, and offers to do the opposite of it to the items as they are then. */
  readonly changeAndSay: (how: Change<T>, message: string, undo: Change<T>) => Promise<unknown>
  /** What is said of an item while it is edited; it throws while it is not valid. */
  readonly onTry?: (item: T, edited: Edited<T>) => Promise<string>
}

/** The dialog that edits one or all, what opens it, and what else can be done with an item. */
export function useItems<T extends Switchable & Item>(props: ItemsProps<T>) {
  const { account, what, inForce, suggestions, add, change, changeAndSay, onTry } = props
  const [editing, edit] = useState<'all' | Edited<T> | null>(null)
  const actions: ItemActions<T> = {
    onSwitch: (item, nth, on) => change(switching(item, nth, on)),
    onEdit: (item, nth) => edit({ item, nth }),
    onRemove: (item, nth) =>
      changeAndSay(replacing(item, nth, []), `${humanise(what)} removed`, now => now.toSpliced(nth, 0, item)),
  }
  const close = () => edit(null)
  const dialog =
    editing === 'all' ? (
      <YamlDialog what={`${what}s`} start={inForce} onClose={close} onChange={changeAndSay} />
    ) : editing ? (
      <SentenceDialog
        account={account}
        what={what}
        isNew={editing.nth === null}
        start={editing.item}
        suggestions={suggestions}
        {...(onTry ? { onTry: (item: Item) => onTry(item as T, editing) } : {})}
        // The server checks what they are.
        onSubmit={items =>
          editing.nth === null
            ? add(items as readonly T[])
            : change(replacing(editing.item, editing.nth, items as readonly T[]))
        }
        onClose={close}
      />
    ) : null
  return { edit, actions, dialog }
}

interface CardProps<T> extends ItemActions<T> {
  readonly item: T
  readonly nth: number
  /** As buttons call it. */
  readonly name: string
  readonly title: string
  /** How often it was used, in words, and how that is painted once it was. */
  readonly used: readonly [count: number, word: string, tone: 'good' | 'bad']
  readonly badges?: ComponentChildren
  readonly links?: ComponentChildren
  readonly handle?: ComponentChildren
  /** Whether a record leads to it. */
  readonly isWanted?: boolean
}

/** A rule or a fault in its list. */
export function ItemCard<T extends Switchable & Item>(props: CardProps<T>) {
  const { item, nth, name, title, used, isWanted, onSwitch, onEdit, onRemove } = props
  const [count, word, tone] = used
  const classes = ['card', item.off && 'is-off', isWanted && 'is-wanted'].filter(Boolean).join(' ')
  return (
    <li ref={isWanted ? scrollTo : null} class={classes}>
      <header>
        {props.handle}
        <h2>{title}</h2>
        {item.off && <Badge tone="warn">off</Badge>}
        <Badge tone={count > 0 ? tone : 'quiet'}>
          {word} {countText(count)} ×
        </Badge>
        {props.badges}
        <span class="row-actions">
          {props.links}
          <Button label={`Edit ${name}`} onPress={() => onEdit(item, nth)}>
            Edit
          </Button>
          <Button onPress={() => onRemove(item, nth)}>Remove</Button>
          <Switch
            label={`${name} is on`}
            on={item.off !== true}
            // It keeps its counts.
            onChange={on => onSwitch(item, nth, on).catch(error => toast(messageOf(error), 'bad'))}
          />
        </span>
      </header>
      <p class="reads">{sentenceOf(item)}</p>
    </li>
  )
}

const scrollTo: Ref<HTMLLIElement> = card => card?.scrollIntoView({ block: 'center' })
