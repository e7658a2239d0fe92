import { withoutSecrets } from '../../contract/redact.ts'
import { notFound } from '../refusal.ts'
import { type ControlHandlers, param, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'
import { entryView } from './views.ts'

/** A record's entries, and the last requests. */
export function journalCalls({ gateway, requests }: ControlSettings) {
  return {
    'GET /accounts/:account/history/:id': async (request, answer) => {
      const { account } = runtimeNamed(gateway, request)
      const { world, journal } = account
      const id = param(request, 'id')
      const entries = await journal.history(id)
      const { keptFrom } = journal
      const { payments, payouts, assets, events, deliveries, endpoints } = world
      const all = [payments, payouts, assets, events, deliveries, endpoints]
      // If all entries of a record are too old, its history is empty.
      const isKnown = entries.length > 0 || (keptFrom > 1 && all.some(records => records.has(id)))
      if (!isKnown) throw notFound('record')
      const data = withoutSecretsIn(entries.map(entryView))
      return answer(200, keptFrom === 1 ? { data } : { data, kept_from: keptFrom })
    },

    'GET /accounts/:account/requests': (request, answer) =>
      answer(200, { data: requests.of(runtimeNamed(gateway, request)) }),

    'GET /accounts/:account/requests/:id': (request, answer) => {
      const found = requests.find(runtimeNamed(gateway, request), param(request, 'id'))
      if (!found) throw notFound('request in the log of recent requests')
      return answer(200, found)
    },
  } satisfies Partial<ControlHandlers>
}

const withoutSecretsIn = <T>(shown: T): T => JSON.parse(withoutSecrets(JSON.stringify(shown)))
