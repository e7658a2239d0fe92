import { testSuites } from '../../scenario/index.ts'
import type { View } from '../output/view.ts'
import { count, section } from '../probe/view.ts'
import type { Difference } from './compare.ts'
import type { VerifyReport } from './verify.ts'

const SHOWN_REQUESTS = 3

/** What differs, and what else somebody must know. */
export const verifyView: View<VerifyReport> = {
  human: ({ against, differences, compared, scenarios, not_compared, made, ended, requests }, screen) => {
    const left = made.filter(({ cancelled }) => !cancelled)
    const than = against === 'simulator' ? 'a simulator with this contract' : 'the recording'
    return [
      ...section(`Different from ${than}`, differences.map(lineOf), screen),
      ...section(
        'Not compared',
        not_compared.map(({ request, why }) => [request, why]),
        screen,
      ),
      ...section(
        'Made, and not cancelled',
        left.map(({ id, why }) => [id, why ?? '']),
        screen,
      ),
      ...(ended === null ? [] : [`${ended}.`]),
      `${count(requests, 'request')}, ${count(compared.length, 'answer')}${scenarios.length === 0 ? '' : ` and ${count(scenarios.length, 'scenario')}`} compared, ${count(differences.length, 'difference')}.`,
    ].join('\n')
  },
  rows: ({ differences }) => differences,
  csv: ['kind', 'name', 'expected', 'found', 'requests'],
}

function lineOf({ kind, name, expected, found, requests }: Difference): [string, string] {
  const label = ['decision', 'scenario', 'status'].includes(kind) ? name : `${kind} ${name || 'body'}`
  const more = requests.length > SHOWN_REQUESTS ? ` and ${requests.length - SHOWN_REQUESTS} more` : ''
  const where = requests.length === 0 ? '' : ` (${requests.slice(0, SHOWN_REQUESTS).join(', ')}${more})`
  return [label, `${found}; expected: ${expected}${where}`]
}

/** A case for each decision that was seen, for each request whose answers were compared, and for each scenario. */
export function verifyJunit({ differences, decisions, compared, scenarios, ended }: VerifyReport): string {
  const of = (kind: string, name: string, own: readonly Difference[]) => ({
    file: `verify/${kind}`,
    name,
    tookMs: 0,
    ...(own.length === 0
      ? {}
      : {
          failure: {
            message: own.map(one => lineOf({ ...one, requests: [] }).join(': ')).join('; '),
            lines: own.map(one => lineOf(one).join(': ')),
          },
        }),
  })
  const named = (wanted: Difference['kind'], key: string) =>
    differences.filter(({ kind, name }) => kind === wanted && name === key)
  return testSuites([
    ...Object.keys(decisions).map(key => of('decisions', key, named('decision', key))),
    ...compared.map(request =>
      of(
        'requests',
        request,
        differences.filter(({ requests }) => requests.includes(request)),
      ),
    ),
    ...scenarios.map(name => of('scenarios', name, named('scenario', name))),
    ...(ended === null
      ? []
      : [
          {
            file: 'verify/requests',
            name: 'the rest',
            tookMs: 0,
            failure: { message: ended, lines: [ended] },
          },
        ]),
  ])
}
