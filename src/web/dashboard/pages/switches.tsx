import { messageOf } from '../state/api.ts'
import type { Switchable } from '../state/change-list.ts'
import { toast } from '../state/toasts.ts'
import { Switch } from '../ui/field.tsx'

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
