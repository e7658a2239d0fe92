// A file of its own, so that the package is loaded only for YAML.

import { stringify } from 'yaml'
import type { DataFormat } from './output/formats.ts'

/** YAML 1.1 reads the country code NO as false: `compat` quotes it. */
const yaml = (value: unknown): string =>
  stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false })

export const yamlFormat: DataFormat = {
  whole: yaml,
  sheet() {
    let empty = true
    return {
      // The parts together are one list.
      rows(values) {
        if (values.length === 0) return ''
        empty = false
        return yaml(values)
      },
      end: () => (empty ? '[]\n' : ''),
    }
  },
}
