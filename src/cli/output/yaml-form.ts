import { stringify } from 'yaml'
import type { Form } from './sheet.ts'

/** Readers of YAML 1.1 take a bare NO, the country, for a no: `compat` has it quoted. */
const yaml = (value: unknown): string =>
  stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false })

/** A file of its own so that the package is loaded for YAML only. */
export const yamlForm: Form = {
  whole: yaml,
  sheet() {
    let empty = true
    return {
      // The entries of one list, written one part after another.
      rows(values) {
        if (values.length === 0) return ''
        empty = false
        return yaml(values)
      },
      end: () => (empty ? '[]\n' : ''),
    }
  },
}
