import { messageOf } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { Switch } from '../ui/field.tsx'

interface Switchable {
  readonly off?: boolean
}

interface OnSwitchProps {
  readonly of: string
  readonly item: Switchable
  readonly onSwitch: (on: boolean) => Promise<unknown>
}

/** Switches a rule or a fault on or off. It keeps its counts. */
export const OnSwitch = ({ of, item, onSwitch }: OnSwitchProps) => (
  <Switch
    label={`${of} is on`}
    on={item.off !== true}
    onChange={on => onSwitch(on).catch(error => toast(messageOf(error), 'bad'))}
  />
)

/** The list with one of its items on or off. */
export const switched = <T extends Switchable>(list: readonly T[], nth: number, on: boolean): T[] =>
  list.map((item, at) => {
    if (at !== nth) return item
    const { off: _, ...rest } = item
    return (on ? rest : { ...rest, off: true }) as T
  })
