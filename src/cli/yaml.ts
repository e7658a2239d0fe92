// A file of its own, so that the package is loaded only for YAML.

import { LineCounter, stringify } from 'yaml'
import { readYaml } from '../scenario/load/yaml-document.ts'
import type { DataFormat } from './output/formats.ts'

/** The value of a YAML text. */
export function parse(text: string): unknown {
  const lines = new LineCounter()
  const document = readYaml(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (!error) return document.toJS()
  const { line, col } = lines.linePos(error.pos[0])
  throw new Error(`${error.message.split('\n')[0]} at line ${line}, column ${col}`)
}

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
