import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { messageOf } from '../state/api.ts'
import { toast } from '../state/toasts.ts'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps {
  readonly children?: ComponentChildren
  readonly icon?: IconName
  /** The accessible name, if the button shows only an icon. */
  readonly label?: string
  readonly tone?: 'primary' | 'plain' | 'danger' | 'ghost'
  readonly disabled?: boolean
  readonly submit?: boolean
  readonly pressed?: boolean
  /** The button is busy until the returned promise settles, and shows an error if it fails. */
  readonly onPress?: () => unknown
}

export function Button({
  children,
  icon,
  label,
  tone = 'plain',
  disabled,
  submit,
  pressed,
  onPress,
}: ButtonProps) {
  const [busy, setBusy] = useState(false)
  const press = async () => {
    if (!onPress || busy) return
    setBusy(true)
    try {
      await onPress()
    } catch (error) {
      toast(messageOf(error), 'bad')
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${tone}${children === undefined ? ' bare' : ''}`}
      disabled={disabled}
      aria-busy={busy}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-pressed={pressed}
      onClick={submit ? undefined : press}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

interface LinkButtonProps {
  readonly href: string
  readonly children: ComponentChildren
  readonly icon?: IconName
  readonly tone?: 'primary' | 'plain' | 'ghost'
  /** A link that leaves the dashboard. */
  readonly outside?: boolean
}

export function LinkButton({ href, children, icon, tone = 'plain', outside }: LinkButtonProps) {
  const target = outside ? { target: '_blank', rel: 'noopener noreferrer' } : {}
  return (
    <a class={`button ${tone}`} href={href} {...target}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}
