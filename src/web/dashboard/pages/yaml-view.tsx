import { useEffect, useState } from 'preact/hooks'
import { Scrollable } from '../ui/scrollable.tsx'
import { toYaml } from './yaml-text.ts'

/** Shows data as YAML. */
export function YamlView({ value, label, narrow }: { value: unknown; label: string; narrow?: boolean }) {
  const [text, setText] = useState('')
  useEffect(() => {
    toYaml(value, { narrow: narrow ?? false }).then(setText)
  }, [value, narrow])
  return (
    <Scrollable kind="text" label={label}>
      <pre class="yaml">{text}</pre>
    </Scrollable>
  )
}
