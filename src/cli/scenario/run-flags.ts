import { InvalidArgumentError } from 'commander'

export const FORMATS = ['junit', 'tap', 'json'] as const
export interface Report {
  readonly format: (typeof FORMATS)[number]
  /** `-` means stdout. */
  readonly file: string
}

export interface RunFlags {
  readonly jobs?: number
  readonly controlUrl?: string
  readonly controlToken?: string
  readonly baseUrl?: string
  readonly embedded?: true
  readonly report: readonly Report[]
  readonly transcript?: string
  readonly watch?: true
  readonly quiet?: true
  readonly only?: readonly string[]
  readonly repeat?: number
  readonly seed?: number
  /** False if no application may be started. */
  readonly app?: boolean
}

export function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.')
  return Number(text)
}

export function report(text: string, before: readonly Report[]): Report[] {
  const [, name, file = '-'] = /^([a-z]+)(?:=(.+))?$/.exec(text) ?? []
  const format = FORMATS.find(known => known === name)
  if (!format)
    throw new InvalidArgumentError(`It must be one of ${FORMATS.join(', ')}, such as junit=report.xml.`)
  return [...before, { format, file }]
}
