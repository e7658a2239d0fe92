import { InvalidArgumentError } from 'commander'
import { type DisturbanceKind, KINDS } from '../../application/disturbance.ts'
import { didYouMean, milliseconds } from '../flag-values.ts'

export interface ExploreReport {
  readonly format: 'junit' | 'json'
  /** `-` is stdout. */
  readonly file: string
}

export interface ExploreFlags {
  readonly kinds?: true
  readonly only?: readonly DisturbanceKind[]
  readonly skip?: readonly DisturbanceKind[]
  readonly runs?: number
  readonly for?: number
  readonly seed?: number
  readonly jobs?: number
  readonly slow?: number
  readonly save: string
  readonly report: readonly ExploreReport[]
  readonly output?: 'text' | 'json'
  readonly controlUrl?: string
  readonly controlToken?: string
}

export const wait = milliseconds

function kindNamed(text: string): DisturbanceKind {
  const kind = KINDS.find(known => known === text)
  if (kind !== undefined) return kind
  throw new InvalidArgumentError(`${didYouMean(text, KINDS)}\`paysim explore --kinds\` lists the kinds.`)
}

export const kindList = (text: string): DisturbanceKind[] =>
  text
    .split(',')
    .map(word => word.trim())
    .filter(word => word !== '')
    .map(kindNamed)

export function exploreReport(text: string, before: readonly ExploreReport[]): ExploreReport[] {
  const [, format, file = '-'] = /^(junit|json)(?:=(.+))?$/.exec(text) ?? []
  if (format !== 'junit' && format !== 'json')
    throw new InvalidArgumentError('It must be junit or json, such as junit=explore.xml.')
  return [...before, { format, file }]
}
