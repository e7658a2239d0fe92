import { Button } from '../ui/button.tsx'

/** What is wanted most often, ready to be set. */
interface Preset<T> {
  readonly label: string
  readonly item: T
}

interface PresetsProps<T> {
  readonly label: string
  readonly presets: readonly Preset<T>[]
  readonly onPick: (item: T, label: string) => Promise<unknown>
}

export const Presets = <T,>({ label, presets, onPick }: PresetsProps<T>) => (
  <fieldset class="presets">
    <legend class="muted">{label}</legend>
    {presets.map(preset => (
      <Button key={preset.label} onPress={() => onPick(preset.item, preset.label)}>
        {preset.label}
      </Button>
    ))}
  </fieldset>
)
