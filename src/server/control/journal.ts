import type { StreamData, StreamEvent } from '../../contract/control/journal.ts'
import { withoutSecrets } from '../../contract/redact.ts'
import { notFound } from '../refusal.ts'
import { Changes } from './changes.ts'
import { type ControlHandlers, param, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'
import { entryView } from './views.ts'

/** A record's entries, the last requests, and a stream of both. */
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

    'GET /accounts/:account/stream': (request, _, reply) => {
      const { account } = runtimeNamed(gateway, request)
      const { raw } = reply
      reply.hijack()
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'request-id': request.requestId,
      })
      const write = <E extends StreamEvent>(event: E, data: StreamData<E>, id?: number) =>
        raw.write(
          `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${withoutSecrets(JSON.stringify(data))}\n\n`,
        )
      const hello = () => write('hello', { account: account.id, seq: account.world.seq })
      hello()
      const changes = request.query.as === 'changes' ? new Changes(data => write('change', data)) : undefined
      const listening = [
        account.onEntry(entry =>
          changes ? changes.entry(entry) : write('entry', entryView(entry), entry.seq),
        ),
        // A stream starts again too: after a reset or an import, earlier entries no longer exist.
        account.onReplaced(hello),
        account.clock.onJump(() => changes?.clock()),
        requests.onRequest(record => {
          if (record.account !== account.id) return
          if (changes) changes.request()
          else write('request', record)
        }),
      ]
      raw.once('close', () => {
        for (const stop of listening) stop()
      })
      return reply
    },
  } satisfies Partial<ControlHandlers>
}

const withoutSecretsIn = <T>(shown: T): T => JSON.parse(withoutSecrets(JSON.stringify(shown)))
