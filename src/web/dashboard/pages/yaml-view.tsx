import { useEffect, useState } from 'preact/hooks'
import { Scrollable } from '../ui/scrollable.tsx'
import { toYaml } from './yaml-text.ts'

/** Data as people write it. */
export function YamlView({ value, label }: { value: unknown; label: string }) {
  const [text, setText] = useState('')
  useEffect(() => {
    toYaml(value).then(setText)
  }, [value])
  return (
    <Scrollable kind="text" label={label}>
      <pre class="yaml">{text}</pre>
    </Scrollable>
  )
}
